// The exception for a user's mistake: it names the problem, why it is one, and what to do.
#pragma once

#include <stdexcept>
#include <string>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI {

/// Thrown for invalid input. `what()` reads "problem (why): suggestion", ready to be shown to a person.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  Error(const std::string& problem, const std::string& why, const std::string& suggestion)
      : std::runtime_error(problem + " (" + why + "): " + suggestion) {}
};

}  // namespace breakstep::inline BREAKSTEP_ABI
