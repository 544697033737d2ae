// Work that falls into independent pieces, on some threads.
#include "breakstep/runtime/threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace breakstep::inline BREAKSTEP_ABI::runtime {

std::size_t thread_count(int asked) {
  return asked > 0 ? static_cast<std::size_t>(asked) : std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

void for_each_on_threads(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  const std::size_t asked = thread_count(threads);
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto share = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < std::min(asked, count); ++t) others.emplace_back(share);
  share();
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
