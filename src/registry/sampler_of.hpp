// SamplerOf<Sampler>: erases a sampler's type; included only by the file that compiles that sampler.
#pragma once

#include <array>
#include <charconv>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "breakstep/error.hpp"
#include "breakstep/registry/sampler.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

/// How a parameter is read and written on a sampler of one type. `lowest` is the least value that makes sense
/// (exclusive if the parameter is real, inclusive if it is a whole number), `highest` the greatest whole number.
template <class Sampler>
struct ParameterOf {
  std::string name;
  std::string meaning;
  bool whole;
  double lowest;
  std::function<double(const Sampler&)> get;
  std::function<void(Sampler&, double)> set;
  int highest = 1'000'000'000;  ///< of whole numbers
  bool takes_lowest = false;    ///< of others: whether it may be the lowest itself
};

/// The shortest text that means this number.
inline std::string spelled(double number) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

/// Throws Error if the value makes no sense.
template <class Owner>
void set_checked(const ParameterOf<Owner>& p, double value, Owner& owner) {
  const bool fits = p.whole ? value >= p.lowest && value <= p.highest && value == static_cast<int>(value)
                            : (value > p.lowest || (p.takes_lowest && value == p.lowest)) && value < 1e300;
  if (!fits) {
    throw Error("parameter '" + p.name + "' cannot be " + spelled(value),
                p.whole ? "it must be a whole number from " + spelled(p.lowest) + " to " + std::to_string(p.highest)
                        : std::string("it must be a finite number") + (p.takes_lowest ? ", at least " : " above ") +
                              spelled(p.lowest),
                "correct it");
  }
  p.set(owner, value);
}

template <class Sampler>
class SamplerOf final : public AnySampler {
 public:
  explicit SamplerOf(std::vector<ParameterOf<Sampler>> parameters) : parameters_(std::move(parameters)) {}

  [[nodiscard]] target::Asks asks() const override { return Sampler::asks; }

  [[nodiscard]] std::vector<Parameter> parameters() const override {
    std::vector<Parameter> list;
    for (const auto& p : parameters_) list.push_back({p.name, p.get(sampler_), p.meaning});
    return list;
  }

  void set(std::string_view name, double value) override {
    std::string known;
    for (const auto& p : parameters_) {
      if (p.name == name) return set_checked(p, value, sampler_);
      known.append(known.empty() ? "" : ", ").append(p.name);
    }
    throw Error("this sampler has no parameter '" + std::string(name) + "'",
                "it has " + (known.empty() ? "none" : known), "use one of these");
  }

  [[nodiscard]] PackPtr<float, 1> pack(OneFloat, lanes::Storage storage, std::uint64_t seed,
                                       const target::AffineMap<float>& map) const override {
    return make<float, 1>(storage, seed, map);
  }
  [[nodiscard]] PackPtr<double, 1> pack(OneDouble, lanes::Storage storage, std::uint64_t seed,
                                        const target::AffineMap<double>& map) const override {
    return make<double, 1>(storage, seed, map);
  }
  [[nodiscard]] PackPtr<float, lanes::native_width<float>> pack(Floats, lanes::Storage storage, std::uint64_t seed,
                                                                const target::AffineMap<float>& map) const override {
    return make<float, lanes::native_width<float>>(storage, seed, map);
  }
  [[nodiscard]] PackPtr<double, lanes::native_width<double>> pack(Doubles, lanes::Storage storage, std::uint64_t seed,
                                                                  const target::AffineMap<double>& map) const override {
    return make<double, lanes::native_width<double>>(storage, seed, map);
  }
  [[nodiscard]] PackPtr<float, WideFloats::lanes> pack(WideFloats, std::uint64_t seed,
                                                       const target::AffineMap<float>& map) const override {
    return make_wide<WideFloats>(seed, map);
  }
  [[nodiscard]] PackPtr<double, WideDoubles::lanes> pack(WideDoubles, std::uint64_t seed,
                                                         const target::AffineMap<double>& map) const override {
    return make_wide<WideDoubles>(seed, map);
  }

 private:
  template <class Width>
  PackPtr<typename Width::Real, Width::lanes> make_wide(
      [[maybe_unused]] std::uint64_t seed, [[maybe_unused]] const target::AffineMap<typename Width::Real>& map) const {
    if constexpr (Sampler::asks == target::Asks::gradient) {
      return nullptr;  // the vectors of so many chains no longer fit the nearest cache
    } else {
      using Wide = runtime::SamplerPack<Sampler, typename Width::Real, Width::lanes, lanes::Storage::interleaved>;
      return std::make_unique<Wide>(sampler_, seed, map);
    }
  }

  template <class Real, int W>
  PackPtr<Real, W> make([[maybe_unused]] lanes::Storage storage, std::uint64_t seed,
                        const target::AffineMap<Real>& map) const {
    using lanes::Storage;
    using Interleaved = runtime::SamplerPack<Sampler, Real, W, Storage::interleaved>;
    using Contiguous = runtime::SamplerPack<Sampler, Real, W, Storage::contiguous>;
    // For one chain the two storages hold the same numbers in the same order, so only one is compiled: with SIMD over
    // coordinates for samplers of many vectors.
    if constexpr (W == 1 && Sampler::asks == target::Asks::gradient) {
      return std::make_unique<Contiguous>(sampler_, seed, map);
    } else if constexpr (W == 1) {
      return std::make_unique<Interleaved>(sampler_, seed, map);
    } else {
      if (storage == Storage::contiguous) return std::make_unique<Contiguous>(sampler_, seed, map);
      return std::make_unique<Interleaved>(sampler_, seed, map);
    }
  }

  Sampler sampler_;
  std::vector<ParameterOf<Sampler>> parameters_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
