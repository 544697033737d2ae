// Finds what a person meant by a name, or says which names there are and which one is close.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "breakstep/error.hpp"

namespace breakstep_app {

/// How many single-character edits turn `a` into `b`.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

/// The names that begin like `given` or differ from it in a few characters, closest first.
inline std::vector<std::string> close_names(std::string_view given, const std::vector<std::string>& names) {
  std::vector<std::pair<std::size_t, std::string>> close;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(given, name);
    const bool same_start = given.size() > 2 && (name.starts_with(given) || given.starts_with(name));
    if (same_start || distance <= std::max<std::size_t>(2, name.size() / 3)) close.emplace_back(distance, name);
  }
  std::stable_sort(close.begin(), close.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<std::string> sorted;
  sorted.reserve(close.size());
  for (auto& [distance, name] : close) sorted.push_back(std::move(name));
  return sorted;
}

/// "a, b or c"
inline std::string listed(const std::vector<std::string>& names, std::string_view last_word = "or") {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0 && i + 1 == names.size()) {
      text.append(" ").append(last_word).append(" ");
    } else if (i > 0) {
      text += ", ";
    }
    text += names[i];
  }
  return text;
}

/// The value called `given` among `choices`, pairs of name and value. Throws an Error that says what `kind` of thing is
/// unknown.
template <class Value, std::size_t size>
Value choose(std::string_view kind, const std::string& given,
             const std::array<std::pair<const char*, Value>, size>& choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) {
    if (given == name) return value;
    names.emplace_back(name);
  }
  const auto close = close_names(given, names);
  throw breakstep::Error("unknown " + std::string(kind) + " '" + given + "'", "there are " + listed(names, "and"),
                         close.empty() ? "choose one of these" : "did you mean " + listed(close) + "?");
}

}  // namespace breakstep_app
