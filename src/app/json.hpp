// Writes JSON: objects and arrays in the order they are given, numbers with all their digits.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include "fsm/write.hpp"

namespace breakstep_app {

/// A number as JSON: the shortest that reads back the same, or null if it is not finite.
inline std::string json_number(double number) {
  if (!std::isfinite(number)) return "null";
  std::array<char, 32> text{};
  char* const end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

/// Collects the members of an object; `close` gives its text.
class JsonObject {
 public:
  JsonObject& add(std::string_view key, double number) { return raw(key, json_number(number)); }
  JsonObject& add(std::string_view key, std::integral auto number) { return raw(key, std::to_string(number)); }
  JsonObject& add(std::string_view key, bool truth) { return raw(key, truth ? "true" : "false"); }
  JsonObject& add(std::string_view key, std::string_view text) { return raw(key, breakstep::fsm::json_quoted(text)); }
  JsonObject& add(std::string_view key, const char* text) { return add(key, std::string_view(text)); }
  /// Null if there is none.
  template <class Value>
  JsonObject& add(std::string_view key, const std::optional<Value>& value) {
    return value ? add(key, *value) : raw(key, "null");
  }
  /// `value` is JSON already.
  JsonObject& raw(std::string_view key, std::string_view value) {
    text_ += text_.empty() ? "{" : ",";
    text_ += breakstep::fsm::json_quoted(key);
    text_ += ":";
    text_ += value;
    return *this;
  }
  [[nodiscard]] std::string close() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  std::string text_;
};

/// Collects the elements of an array, each of them JSON already.
class JsonArray {
 public:
  void add(std::string_view value) {
    text_ += text_.empty() ? "[" : ",";
    text_ += value;
  }
  [[nodiscard]] std::string close() const { return text_.empty() ? "[]" : text_ + "]"; }

 private:
  std::string text_;
};

}  // namespace breakstep_app
