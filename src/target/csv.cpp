// Reading and checking comma-separated numbers.
#include "breakstep/target/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "breakstep/error.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

namespace {

constexpr std::uintmax_t most_megabytes = 256;
constexpr std::uintmax_t most_bytes = most_megabytes * 1024 * 1024;

[[noreturn]] void refuse_size(const std::string& path) {
  throw Error("data file " + path + " is too large",
              "data files may have at most " + std::to_string(most_megabytes) + " MB", "give fewer rows");
}

std::string read_all(const std::string& path) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status)) {
    throw Error("cannot read data file " + path, "there is no such file", "check its name and folder");
  }
  if (std::filesystem::is_directory(status)) {
    throw Error("cannot read data file " + path, "it is a directory", "give a file inside it");
  }
  if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(path, failure) > most_bytes) {
    refuse_size(path);
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("cannot read data file " + path, "it cannot be opened", "check its permissions");
  std::string text;
  // In pieces, because pipes and devices do not tell their size.
  std::vector<char> piece(1U << 16U);
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > most_bytes) refuse_size(path);
  }
  if (file.bad()) throw Error("cannot read data file " + path, "reading it failed", "check the disk");
  return text;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const auto comma = line.find(',');
    fields.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

// What the file says, fit for one line of a terminal.
std::string shown(std::string_view text) {
  std::string result(text.substr(0, 40));
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text.size() > 40 ? result + "..." : result;
}

bool parses(std::string_view text, double& value) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && end == text.data() + text.size();
}

std::vector<std::string> names_of(const std::string& path, std::string_view line) {
  std::vector<std::string> names;
  for (std::string_view name : fields_of(line)) {
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    const std::string column = "column " + std::to_string(names.size() + 1);
    double number = 0;
    if (name.empty()) {
      throw Error("data file " + path + ", row 1: " + column + " has no name", "the first row names the columns",
                  "name every column");
    }
    if (parses(name, number)) {
      throw Error("data file " + path + ", row 1: " + column + " is named '" + shown(name) + "'",
                  "the first row names the columns, and this is a number", "add a row of names at the top");
    }
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      throw Error("data file " + path + ", row 1: there are two columns '" + shown(name) + "'",
                  "columns are found by name", "rename one of them");
    }
    names.emplace_back(name);
  }
  return names;
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

double number_of(const std::string& where, std::string_view field) {
  double value = 0;
  if (field.empty()) throw Error(where + " is empty", "missing values cannot be used", "fill it in or remove the row");
  if (!parses(field, value)) {
    throw Error(where + " is '" + shown(field) + "'", "that is not a number", "write it like 1.5 or -2e-3");
  }
  if (!std::isfinite(value)) {
    throw Error(where + " is '" + shown(field) + "'", "only finite numbers can be used", "correct or remove the row");
  }
  return value;
}

}  // namespace

CsvTable read_csv(const std::string& path) {
  const std::string text = read_all(path);
  std::string_view left = text;
  if (left.starts_with("\xEF\xBB\xBF")) left.remove_prefix(3);
  while (!left.empty() && (trimmed(left.substr(left.size() - 1)).empty() || left.back() == '\n')) left.remove_suffix(1);
  if (left.empty()) {
    throw Error("data file " + path + " is empty", "it needs a row of names and rows of numbers", "check the file");
  }
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  for (std::size_t row = 1; !left.empty(); ++row) {
    const auto end = std::min(left.find('\n'), left.size());
    const std::string_view line = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    if (row == 1) {
      names = names_of(path, line);
      columns.resize(names.size());
      continue;
    }
    const auto fields = fields_of(line);
    if (fields.size() != names.size()) {
      throw Error("data file " + path + ", row " + std::to_string(row) + " has " + counted(fields.size(), "field"),
                  "the first row names " + counted(names.size(), "column"), "give every row one number per column");
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      columns[i].push_back(
          number_of("data file " + path + ", row " + std::to_string(row) + ", column '" + names[i] + "'", fields[i]));
    }
  }
  CsvTable table(path, std::move(names), std::move(columns));
  table.require_rows(1);
  return table;
}

const std::vector<double>& CsvTable::column(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return columns_[static_cast<std::size_t>(found - names_.begin())];
  std::string there;
  for (const std::string& other : names_) there += (there.empty() ? "'" : ", '") + shown(other) + "'";
  throw Error("data file " + path_ + " has no column '" + std::string(name) + "'", "it has " + there,
              "rename the column that is meant");
}

void CsvTable::require_rows(std::size_t least) const {
  if (rows() >= least) return;
  throw Error("data file " + path_ + " has " + counted(rows(), "row") + " of numbers",
              "at least " + std::to_string(least) + (least == 1 ? " is needed" : " are needed"), "give more data");
}

void CsvTable::require_columns(std::size_t least) const {
  if (names_.size() >= least) return;
  throw Error("data file " + path_ + " has " + counted(names_.size(), "column"),
              "at least " + std::to_string(least) + " are needed", "separate columns by commas");
}

void CsvTable::refuse(std::string_view name, std::size_t row, const std::string& why) const {
  throw Error(
      "data file " + path_ + ", row " + std::to_string(row + 2) + ": column '" + std::string(name) + "' cannot be used",
      why, "correct the file");
}

void CsvTable::keep_first(std::size_t rows_wanted) {
  if (rows_wanted == 0) return;
  require_rows(rows_wanted);
  for (auto& column : columns_) column.resize(rows_wanted);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
