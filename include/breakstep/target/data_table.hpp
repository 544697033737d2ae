// DataTable: the numbers of a user's data file, comma-separated or JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// Where something stands in a text, both counted from 1 as editors do.
struct Place {
  std::uint32_t line = 1, column = 1;
};

/// Named columns of finite numbers, all of one length. Every complaint is an Error that names the file, and the row as
/// the line number an editor shows (the header of a CSV file is line 1), or line and column in a JSON file.
class DataTable {
 public:
  /// `places` are those of the numbers in a JSON file, column by column; none for a CSV file.
  DataTable(std::string path, std::vector<std::string> names, std::vector<std::vector<double>> columns,
            std::vector<std::vector<Place>> places = {})
      : path_(std::move(path)), names_(std::move(names)), columns_(std::move(columns)), places_(std::move(places)) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::size_t rows() const { return columns_.front().size(); }
  [[nodiscard]] const std::vector<double>& column(std::size_t i) const { return columns_[i]; }
  /// The named column. Throws Error with the names there are.
  [[nodiscard]] const std::vector<double>& column(std::string_view name) const { return columns_[index_of(name)]; }
  /// Which column a regression explains by all others: the last one of a CSV file, `y` of a JSON file.
  [[nodiscard]] std::size_t outcome() const { return is_json() ? index_of("y") : names_.size() - 1; }

  void require_rows(std::size_t least) const;
  void require_columns(std::size_t least) const;
  /// Throws Error: the value of `name` in data row `row` (from 0) is not what the target needs.
  [[noreturn]] void refuse(std::string_view name, std::size_t row, const std::string& why) const;
  /// Drops all but the first `rows` rows; 0 keeps all. Throws Error if there are fewer.
  void keep_first(std::size_t rows);

 private:
  [[nodiscard]] bool is_json() const { return !places_.empty(); }
  [[nodiscard]] std::size_t index_of(std::string_view name) const;

  std::string path_;
  std::vector<std::string> names_;
  std::vector<std::vector<double>> columns_;
  std::vector<std::vector<Place>> places_;
};

/// Reads `path`, at most 256 MB.
///
/// CSV: a header of distinct names, then at least one row. Fields are numbers without quotes; spaces around them,
/// Windows line ends and blank lines at the end are forgiven, anything else throws Error.
///
/// JSON, told by its first brace: an object as Stan takes it. Arrays of numbers are columns; an array X of rows gives
/// columns X[0], X[1], …; all must have the same number of rows. Single numbers are ignored, but one called N or J must
/// be that number of rows.
DataTable read_data(const std::string& path);

}  // namespace breakstep::inline BREAKSTEP_ABI::target
