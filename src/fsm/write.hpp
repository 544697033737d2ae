// Writes numbers and names as the output formats want them.
#pragma once

#include <concepts>
#include <cstdio>
#include <string>
#include <string_view>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::fsm {

/// Appends texts, characters and whole numbers to `out`.
template <class... Parts>
void put(std::string& out, const Parts&... parts) {
  const auto put_one = [&out](const auto& part) {
    using Part = std::remove_cvref_t<decltype(part)>;
    if constexpr (std::integral<Part> && !std::same_as<Part, char>) {
      out += std::to_string(part);
    } else {
      out += part;
    }
  };
  (put_one(parts), ...);
}

/// A JSON string.
inline std::string json_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      quoted += escape;
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  quoted += '"';
  return quoted;
}

/// A Graphviz string.
inline std::string dot_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  quoted += '"';
  return quoted;
}

/// A Mermaid string. It has no escapes, but understands the number of a character between # and ;.
inline std::string mermaid_quoted(std::string_view text) {
  constexpr std::string_view plain = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz _.";
  std::string quoted = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80 || plain.find(c) != std::string_view::npos) {
      quoted += c;
    } else {
      put(quoted, '#', static_cast<int>(c), ';');
    }
  }
  quoted += '"';
  return quoted;
}

/// What a picture shows of a name: a simple block of a thousand operations would make it unreadable.
inline std::string shortened(std::string_view text) {
  constexpr std::size_t longest = 24;
  if (text.size() <= longest) return std::string(text);
  std::size_t end = longest - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;  // Not inside a UTF-8 character.
  return std::string(text.substr(0, end)).append("...");
}

}  // namespace breakstep::inline BREAKSTEP_ABI::fsm
