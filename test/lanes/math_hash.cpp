// Prints one hash per function over a million fixed arguments; all machines and instruction sets must print the same.
//
//   math_hash              prints "function type hash" for every Row of math_rows_*.cpp
//   math_hash <file>       compares that with the file, prints what differs and exits with 1 if anything does
//
// After a change that is meant to change bits, or a new Row, renew the committed file and say so in the commit:
//   cmake --build <build folder> --target update_math_hashes
#include <cstdio>
#include <fstream>
#include <iostream>
#include <set>

#include "math_inputs.hpp"

namespace {

using namespace breakstep::test;

/// FNV-1a over the bytes of the results.
template <class T>
std::uint64_t hash_of(const Row<T>& row) {
  constexpr std::size_t count = std::size_t(1) << 20;
  const std::vector<T> x = fixed_inputs<T>(count, 4);
  const std::vector<T> y = fixed_inputs<T>(count, 5);
  std::vector<T> out(count);
  row.apply[widths.size() - 1](x.data(), y.data(), out.data(), count);
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const T value : out) {
    const std::uint64_t bits = canonical_bits(value);
    for (std::size_t byte = 0; byte < sizeof(T); ++byte) {
      hash = (hash ^ ((bits >> (8 * byte)) & 0xFF)) * 0x100000001B3U;
    }
  }
  return hash;
}

template <class T>
void add_lines(std::set<std::string>& lines) {
  for (const Row<T>& row : all_rows<T>()) {
    char line[128];
    std::snprintf(line, sizeof line, "%-16s %-6s %016llx", row.function.c_str(), type_name<T>(),
                  static_cast<unsigned long long>(hash_of(row)));
    lines.insert(line);
  }
}

int compare(const std::set<std::string>& lines, const char* path) {
  std::ifstream file(path);
  std::set<std::string> expected;
  for (std::string line; std::getline(file, line);) expected.insert(line);
  bool is_same = true;
  for (const std::string& line : lines) {
    if (!expected.contains(line)) {
      std::cout << "this build:  " << line << "\n";
      is_same = false;
    }
  }
  for (const std::string& line : expected) {
    if (!lines.contains(line)) {
      std::cout << path << ":  " << line << "\n";
      is_same = false;
    }
  }
  if (!is_same) {
    std::cout << "Results differ in their bits (see above). If that is intended, renew the file with the target "
                 "update_math_hashes; if only the instruction set or the compiler changed, it is a bug.\n";
  }
  return is_same ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::set<std::string> lines;
  add_lines<float>(lines);
  add_lines<double>(lines);
  if (argc > 1) return compare(lines, argv[1]);
  for (const std::string& line : lines) std::cout << line << "\n";
  return 0;
}
