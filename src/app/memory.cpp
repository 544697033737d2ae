// How much memory there is, and the refusal of a job that would not fit.
#include "memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "breakstep/error.hpp"
#include "table.hpp"

namespace breakstep_app {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

// The number after `key` in a file of lines "key number", or of a file that holds only a number if `key` is empty.
double number_in(const std::string& path, const std::string& key, double otherwise) {
  std::ifstream file(path);
  double number = 0;
  if (key.empty()) return file >> number ? number : otherwise;
  for (std::string word; file >> word;) {
    if (word == key) return file >> number ? number : otherwise;
    std::getline(file, word);
  }
  return otherwise;
}

// What a control group leaves; files it has cached count as free.
double left_in_group(const std::string& limit, const std::string& usage, const std::string& statistics,
                     const std::string& cached) {
  const double most = number_in(limit, "", unknown);
  return most - number_in(usage, "", 0) + number_in(statistics, cached, 0);
}

}  // namespace

double available_memory() {
  const double machine = number_in("/proc/meminfo", "MemAvailable:", unknown) * 1024;
  const double version_2 = left_in_group("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current",
                                         "/sys/fs/cgroup/memory.stat", "inactive_file");
  const double version_1 =
      left_in_group("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes",
                    "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file");
  return std::min({machine, version_2, version_1});
}

void require_memory(double bytes, const std::string& what, const std::string& advice) {
  const double available = available_memory();
  if (bytes <= available) return;
  throw breakstep::Error("not enough memory for " + what,
                         "needed are " + in_bytes(bytes) + ", available " + in_bytes(available), advice);
}

}  // namespace breakstep_app
