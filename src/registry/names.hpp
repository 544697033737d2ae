// Looking up names: hyphens and underscores are the same, and a miss tells what there is.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "breakstep/error.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

inline std::string with_underscores(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

/// The entry of `list` called `name`; throws Error naming all that exist.
template <class Entry>
const Entry& find_entry(const std::vector<Entry>& list, std::string_view name, const char* kind) {
  std::string known;
  for (const Entry& entry : list) {
    if (with_underscores(entry.name) == with_underscores(name)) return entry;
    known.append(known.empty() ? "" : ", ").append(entry.name);
  }
  throw Error(std::string("there is no ") + kind + " '" + std::string(name) + "'", "known are " + known,
              "use one of them, or see breakstep list");
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
