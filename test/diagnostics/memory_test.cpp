// How much memory a summarizer takes, and that it takes none for the second parameter: counts what `new` hands out.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "breakstep/diagnostics/summary.hpp"
#include "recipe.hpp"

namespace {
std::size_t bytes_taken = 0;
}

void* operator new(std::size_t size) {
  bytes_taken += size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
// Inlined, they would look to a compiler like a mismatch of `new` and `free`.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace breakstep::diagnostics;

void check_memory(std::size_t chains, std::size_t draws, double bytes_per_draw) {
  const std::vector<double> data = diagnostics_test::make({.seed = 1, .chains = chains, .draws = draws, .phi = 0.5});
  const DrawsView<double> view{.data = data.data(), .chains = chains, .draws = draws};
  Summarizer summarizer;
  bytes_taken = 0;
  summarizer.summarize(view);
  EXPECT_GT(bytes_taken, chains * draws * 8) << "the count does not work";
  EXPECT_LT(static_cast<double>(bytes_taken), bytes_per_draw * static_cast<double>(chains * draws));
  bytes_taken = 0;
  summarizer.summarize(view);
  EXPECT_EQ(bytes_taken, 0);
}

TEST(Memory, ManyShortChainsTakeFortyBytesPerDraw) { check_memory(20000, 10, 40.2); }

TEST(Memory, ManyLongChainsTakeFortyBytesPerDraw) { check_memory(200, 1001, 41.0); }

// The transform of a padded chain, its factors and its spectrum.
TEST(Memory, OneLongChainTakesMoreButInProportion) { check_memory(1, 100000, 40.0 + 4 + 5 * 16); }

}  // namespace
