// Finds fields in the description of a record: "x:f8[3] log_density:f8[1]".
#include "breakstep/lanes/record_fields.hpp"

#include <charconv>
#include <string>

#include "breakstep/error.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

FieldPlace find_field(std::string_view description, std::string_view name, std::string_view type) {
  std::size_t offset = 0;
  std::string_view left = description;
  while (!left.empty()) {
    const std::string_view entry = left.substr(0, left.find(' '));
    left.remove_prefix(std::min(left.size(), entry.size() + 1));
    const std::size_t colon = entry.find(':'), bracket = entry.find('[');
    const std::string_view own_type = entry.substr(colon + 1, bracket - colon - 1);
    std::size_t elements = 0, bytes = 0;
    std::from_chars(entry.data() + bracket + 1, entry.data() + entry.size(), elements);
    std::from_chars(own_type.data() + 1, own_type.data() + own_type.size(), bytes);
    if (entry.substr(0, colon) == name && own_type == type) return {offset, elements};
    offset += elements * bytes;
  }
  throw Error("chains have no field '" + std::string(name) + "' of type " + std::string(type),
              "they have " + std::string(description), "use a sampler that keeps it");
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
