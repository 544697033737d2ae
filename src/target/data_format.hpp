// The two formats of data files, and what their readers share.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "breakstep/error.hpp"
#include "breakstep/target/data_table.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

DataTable parse_csv(const std::string& path, std::string_view text);
DataTable parse_json(const std::string& path, std::string_view text);

/// What the file says, fit for one line of a terminal.
inline std::string shown(std::string_view text) {
  std::string result(text.substr(0, 40));
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text.size() > 40 ? result + "..." : result;
}

inline std::string quoted(std::string_view text) {
  std::string result(1, '\'');
  result.append(shown(text)).push_back('\'');
  return result;
}

inline std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// The number that all of `text` spells. Throws Error about `where` if it spells none, or one that is not finite.
inline double number_of(const std::string& where, std::string_view text, const char* advice) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = end == text.data() + text.size() && failure != std::errc::invalid_argument;
  if (!is_number) {
    throw Error(where + " is " + quoted(text), "that is not a number", "write it like 1.5 or -2e-3");
  }
  if (failure != std::errc() || !std::isfinite(value)) {
    throw Error(where + " is " + quoted(text), "only finite numbers can be used", advice);
  }
  return value;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
