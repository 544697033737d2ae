// Reads the numbers of a command line, and says what is wrong with one that cannot be meant.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "breakstep/error.hpp"

namespace breakstep_app {

/// The number that all of `text` spells, if it spells one.
template <class Number>
std::optional<Number> spelled(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

/// A whole number from `lowest` to `highest`; 1e6 is one. Throws an Error that names the option.
inline std::uint64_t whole_number(const std::string& option, const std::string& text, std::uint64_t lowest,
                                  std::uint64_t highest) {
  auto number = spelled<std::uint64_t>(text);
  if (!number) {
    const auto real = spelled<double>(text);
    if (real && *real >= 0 && *real < 0x1p53 && std::trunc(*real) == *real) number = static_cast<std::uint64_t>(*real);
  }
  if (number && *number >= lowest && *number <= highest) return *number;
  throw breakstep::Error(option + " cannot be '" + text + "'",
                         "it is a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest),
                         "give one, such as " + option + " " + std::to_string(lowest == 0 ? 1 : lowest));
}

/// A finite number. Throws an Error that names the option.
inline double finite_number(const std::string& option, const std::string& text) {
  const auto number = spelled<double>(text);
  if (number && std::isfinite(*number)) return *number;
  throw breakstep::Error(option + " cannot be '" + text + "'", "it is a finite number", "give one, such as 0.5");
}

/// A number between 0 and 1, neither of them. Throws an Error that names the option.
inline double share(const std::string& option, const std::string& text) {
  const double number = finite_number(option, text);
  if (number > 0 && number < 1) return number;
  throw breakstep::Error(option + " cannot be '" + text + "'", "it is a share between 0 and 1",
                         "give one, such as 0.9");
}

}  // namespace breakstep_app
