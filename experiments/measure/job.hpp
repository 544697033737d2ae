// What is run: sampler, target, data and where chains begin; the same for every kind of measurement.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "breakstep/registry/warm_up.hpp"

namespace experiments {

/// The names of arguments that make a job.
std::vector<std::string> job_arguments();

class Job {
 public:
  explicit Job(const Arguments& arguments);

  [[nodiscard]] const std::string& sampler_name() const { return sampler_; }
  [[nodiscard]] const std::shared_ptr<const breakstep::registry::AnyTarget>& target() const { return target_; }
  /// Gives a sampler the parameters that were asked for.
  void tune(breakstep::registry::AnySampler& sampler) const;
  [[nodiscard]] breakstep::lanes::Storage storage(breakstep::target::Asks asks, std::size_t bytes_per_number) const;

  /// Where chains begin and what a warm-up found, if one was asked for.
  struct Ready {
    breakstep::runtime::Starts starts;
    breakstep::target::GaussianPrior metric;
    double warm_up_seconds = 0;
  };
  /// Warms up, burns in or places chains; sets the sampler's step size if a warm-up found one.
  template <class Real>
  Ready prepare(breakstep::registry::AnySampler& sampler, std::size_t chains, std::uint64_t seed) const;

 private:
  std::string sampler_, target_name_, start_;
  std::vector<std::pair<std::string, double>> parameters_;
  std::shared_ptr<const breakstep::registry::AnyTarget> target_;
  double start_scale_;
  std::uint32_t warm_up_, burn_in_;
};

}  // namespace experiments
