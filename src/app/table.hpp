// Lays out what a person reads: columns that line up, and numbers of a few digits.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace breakstep_app {

/// Printf's %`precision``kind` of a number, or - if it is not finite.
inline std::string shown(double number, int precision, char kind = 'g') {
  if (!std::isfinite(number)) return "-";
  const std::array<char, 5> format{'%', '.', '*', kind, '\0'};
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), format.data(), precision, number);
  return text.data();
}

/// A large number with a word for its size: 1.23 million.
inline std::string in_words(double number) {
  if (number >= 1e9) return shown(number / 1e9, 3) + " billion";
  if (number >= 1e6) return shown(number / 1e6, 3) + " million";
  if (number >= 1e3) return shown(number / 1e3, 3) + " thousand";
  return shown(number, 3);
}

/// Bytes with a unit: 1.2 GB.
inline std::string in_bytes(double bytes) {
  if (bytes >= 1e15) return shown(bytes / 1e12, 0, 'f') + " TB";
  if (bytes >= 1e12) return shown(bytes / 1e12, 3) + " TB";
  if (bytes >= 1e9) return shown(bytes / 1e9, 3) + " GB";
  if (bytes >= 1e6) return shown(bytes / 1e6, 3) + " MB";
  return shown(bytes / 1e3, 3) + " kB";
}

/// Rows of cells; the first row is the heading. The first column, and any others asked for, are flush left.
class Table {
 public:
  explicit Table(std::vector<std::string> heading, std::size_t left_columns = 1)
      : rows_{std::move(heading)}, left_columns_(left_columns) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string all;
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string blanks(widths[i] - row[i].size(), ' ');
        line += i == 0 ? "" : "  ";
        line += i < left_columns_ ? row[i] + blanks : blanks + row[i];
      }
      line.erase(line.find_last_not_of(' ') + 1);
      all += line + "\n";
    }
    return all;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
  std::size_t left_columns_;
};

}  // namespace breakstep_app
