// AnySampler: a sampler with its type erased, and the list of built-in ones.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "breakstep/fsm/machine.hpp"
#include "breakstep/registry/width.hpp"
#include "breakstep/runtime/lane_pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

/// A number that a sampler can be given: {"scale", 0.5, "standard deviation of a proposal"}.
struct Parameter {
  std::string name;
  double value;
  std::string meaning;
};

struct FlowSettings;

class AnySampler {
 public:
  AnySampler() = default;
  virtual ~AnySampler() = default;
  AnySampler(const AnySampler&) = delete;
  AnySampler& operator=(const AnySampler&) = delete;

  [[nodiscard]] virtual target::Asks asks() const = 0;
  /// Its parameters with their present values.
  [[nodiscard]] virtual std::vector<Parameter> parameters() const = 0;
  /// Throws Error if there is no such parameter or the value makes no sense.
  virtual void set(std::string_view parameter, double value) = 0;

  /// Of a sampler that works in the coordinates of a flow, what it is told about it (see transport.hpp); else null.
  [[nodiscard]] virtual const FlowSettings* flow() const { return nullptr; }
  [[nodiscard]] virtual FlowSettings* flow() { return nullptr; }

  template <class Real, int W>
  using PackPtr = std::unique_ptr<runtime::LanePack<Real, W>>;
  /// Lanes at work on its chains; see SamplerPack.
  [[nodiscard]] virtual PackPtr<float, 1> pack(OneFloat width, lanes::Storage storage, std::uint64_t seed,
                                               const target::AffineMap<float>& map) const = 0;
  [[nodiscard]] virtual PackPtr<double, 1> pack(OneDouble width, lanes::Storage storage, std::uint64_t seed,
                                                const target::AffineMap<double>& map) const = 0;
  [[nodiscard]] virtual PackPtr<float, lanes::native_width<float>> pack(Floats width, lanes::Storage storage,
                                                                        std::uint64_t seed,
                                                                        const target::AffineMap<float>& map) const = 0;
  [[nodiscard]] virtual PackPtr<double, lanes::native_width<double>> pack(
      Doubles width, lanes::Storage storage, std::uint64_t seed, const target::AffineMap<double>& map) const = 0;
  /// In interleaved storage; null if the sampler gains nothing from being wide.
  [[nodiscard]] virtual PackPtr<float, WideFloats::lanes> pack(WideFloats, std::uint64_t,
                                                               const target::AffineMap<float>&) const {
    return nullptr;
  }
  [[nodiscard]] virtual PackPtr<double, WideDoubles::lanes> pack(WideDoubles, std::uint64_t,
                                                                 const target::AffineMap<double>&) const {
    return nullptr;
  }
};

struct SamplerEntry {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<AnySampler> (*make)();
};

/// The built-in samplers.
const std::vector<SamplerEntry>& samplers();

/// The named one with its default parameters; throws Error with the names there are if it is none of them. Hyphens and
/// underscores are the same.
std::unique_ptr<AnySampler> make_sampler(std::string_view name);

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
