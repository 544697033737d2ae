// Random123 (Debian's librandom123-dev): the authors' own Philox, one counter at a time.
#include <Random123/philox.h>

#include "contestants.hpp"

namespace bench {
namespace {

void their_words(std::uint32_t* words, std::size_t count) {
  r123::Philox4x32 philox;
  const r123::Philox4x32::key_type key = {{1, 0}};
  for (std::size_t i = 0; i < count / 4; ++i) {
    const r123::Philox4x32::ctr_type counter = {{static_cast<std::uint32_t>(i), 0, 0, 0}};
    const auto result = philox(counter, key);
    for (std::size_t k = 0; k < 4; ++k) words[k * (count / 4) + i] = result[k];
  }
}

}  // namespace

Entries random123_entries() { return {{}, {}, {{"Random123", true, their_words}}, {}, {}}; }

}  // namespace bench
