// Reading a data file whole, telling its format, and what a table refuses.
#include "breakstep/target/data_table.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "data_format.hpp"

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

}  // namespace

DataTable read_data(const std::string& path) {
  const std::string text = read_all(path);
  std::string_view content = text;
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  const auto first = content.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string_view::npos && (content[first] == '{' || content[first] == '[');
  return is_json ? parse_json(path, content) : parse_csv(path, content);
}

std::size_t DataTable::index_of(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
  std::string there;
  for (const std::string& other : names_) there += (there.empty() ? "'" : ", '") + shown(other) + "'";
  const std::string kind = is_json() ? "array" : "column";
  throw Error("data file " + path_ + " has no " + kind + " '" + std::string(name) + "'", "it has " + there,
              is_json() ? "add it, or rename the one that is meant" : "rename the column that is meant");
}

void DataTable::require_rows(std::size_t least) const {
  if (rows() >= least) return;
  throw Error("data file " + path_ + " has " + counted(rows(), "row") + " of numbers",
              "at least " + std::to_string(least) + (least == 1 ? " is needed" : " are needed"), "give more data");
}

void DataTable::require_columns(std::size_t least) const {
  if (names_.size() >= least) return;
  throw Error("data file " + path_ + " has " + counted(names_.size(), "column"),
              "at least " + std::to_string(least) + " are needed",
              is_json() ? "add an array" : "separate columns by commas");
}

void DataTable::refuse(std::string_view name, std::size_t row, const std::string& why) const {
  const std::string column = std::string(name);
  if (is_json()) {
    const Place place = places_[index_of(name)][row];
    throw Error("data file " + path_ + ", line " + std::to_string(place.line) + ", column " +
                    std::to_string(place.column) + ": a number of '" + column + "' cannot be used",
                why, "correct the file");
  }
  throw Error("data file " + path_ + ", row " + std::to_string(row + 2) + ": column '" + column + "' cannot be used",
              why, "correct the file");
}

void DataTable::keep_first(std::size_t rows_wanted) {
  if (rows_wanted == 0) return;
  require_rows(rows_wanted);
  for (auto& column : columns_) column.resize(rows_wanted);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
