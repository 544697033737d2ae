// What is said about a calibration: to a person, to a program, and as a picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "breakstep/calibration/calibrate.hpp"
#include "breakstep/diagnostics/uniform_ranks.hpp"

namespace breakstep_app {

/// A calibration with its verdicts. The band is that of each quantity; all of them together leave it with a probability
/// of at most `false_alarm`, because each has an equal share of that.
struct SbcReport {
  std::string sampler_name, target_name;
  breakstep::calibration::Options options;
  breakstep::calibration::Ranks ranks;
  double false_alarm = 0;
  breakstep::diagnostics::RankBand band;
  std::vector<breakstep::diagnostics::RankCheck> checks;  ///< one for each quantity

  [[nodiscard]] std::size_t outside() const;
};

/// Judges the ranks.
SbcReport judged(std::string sampler_name, std::string target_name, breakstep::calibration::Options options,
                 breakstep::calibration::Ranks ranks, double false_alarm);

std::string text_of(const SbcReport& report);
/// What a user should know before trusting the verdicts.
std::string warnings_of(const SbcReport& report);
std::string json_of(const SbcReport& report);
/// An SVG: for each quantity the distribution function of its ranks less the uniform one, and the band.
std::string picture_of(const SbcReport& report);

}  // namespace breakstep_app
