// Reading and checking comma-separated numbers.
#include <algorithm>
#include <charconv>

#include "data_format.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

namespace {

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

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && end == text.data() + text.size();
}

std::vector<std::string> names_of(const std::string& path, std::string_view line) {
  std::vector<std::string> names;
  const auto where = [&] { return "data file " + path + ", row 1: column " + std::to_string(names.size() + 1); };
  for (std::string_view name : fields_of(line)) {
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    if (name.empty()) {
      throw Error(where() + " has no name", "the first row names the columns", "name every column");
    }
    if (is_number(name)) {
      throw Error(where() + " is named " + quoted(name), "the first row names the columns, and this is a number",
                  "add a row of names at the top");
    }
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      throw Error("data file " + path + ", row 1: there are two columns '" + shown(name) + "'",
                  "columns are found by name", "rename one of them");
    }
    names.emplace_back(name);
  }
  return names;
}

}  // namespace

DataTable parse_csv(const std::string& path, std::string_view text) {
  std::string_view left = text;
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
      const std::string where = "data file " + path + ", row " + std::to_string(row) + ", column '" + names[i] + "'";
      if (fields[i].empty()) {
        throw Error(where + " is empty", "missing values cannot be used", "fill it in or remove the row");
      }
      columns[i].push_back(number_of(where, fields[i], "correct or remove the row"));
    }
  }
  DataTable table(path, std::move(names), std::move(columns));
  table.require_rows(1);
  return table;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
