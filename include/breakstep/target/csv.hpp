// A small strict reader of comma-separated numbers with a header row.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// Named columns of finite numbers, all of one length. Every complaint is an Error that names the file, and the row as
/// the line number an editor shows (the header is line 1).
class CsvTable {
 public:
  CsvTable(std::string path, std::vector<std::string> names, std::vector<std::vector<double>> columns)
      : path_(std::move(path)), names_(std::move(names)), columns_(std::move(columns)) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::size_t rows() const { return columns_.front().size(); }
  [[nodiscard]] const std::vector<double>& column(std::size_t i) const { return columns_[i]; }
  /// The named column. Throws Error with the names there are.
  [[nodiscard]] const std::vector<double>& column(std::string_view name) const;

  void require_rows(std::size_t least) const;
  void require_columns(std::size_t least) const;
  /// Throws Error: the value of `name` in data row `row` (from 0) is not what the target needs.
  [[noreturn]] void refuse(std::string_view name, std::size_t row, const std::string& why) const;
  /// Drops all but the first `rows` rows; 0 keeps all. Throws Error if there are fewer.
  void keep_first(std::size_t rows);

 private:
  std::string path_;
  std::vector<std::string> names_;
  std::vector<std::vector<double>> columns_;
};

/// Reads `path`: a header of distinct names, then at least one row. Fields are numbers without quotes; spaces around
/// them, Windows line ends and blank lines at the end are forgiven, anything else throws Error. At most 256 MB.
CsvTable read_csv(const std::string& path);

}  // namespace breakstep::inline BREAKSTEP_ABI::target
