// Transport elliptical slice sampling: elliptical slice in a flow's coordinates; see target/transported.hpp.
#include <functional>
#include <string>
#include <utility>

#include "breakstep/error.hpp"
#include "breakstep/registry/transport.hpp"
#include "built_in.hpp"
#include "sampler_of.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

namespace {

/// Elliptical slice as it is, with numbers for the flow beside its own. It asks for the target's density: the flow
/// makes a likelihood of it.
class TransportSlice final : public AnySampler {
 public:
  TransportSlice()
      : slice_(make_elliptical_slice()),
        numbers_(
            {whole("layers", "coupling layers of the flow; 0 takes two for each bit of the dimension, at most 8", 0,
                   1000, [](FlowSettings& f) { return &f.shape.layers; }),
             whole("hidden", "units of a hidden layer of a conditioner", 1, 100'000,
                   [](FlowSettings& f) { return &f.shape.hidden; }),
             whole("depth", "hidden layers of a conditioner", 0, 100, [](FlowSettings& f) { return &f.shape.depth; }),
             whole("bins", "bins of a spline", 2, target::most_bins, [](FlowSettings& f) { return &f.shape.bins; }),
             whole("layer_norm", "1 to normalise each hidden layer", 0, 1,
                   [](FlowSettings& f) { return &f.shape.layer_norm; }),
             whole("train_steps", "steps of training in the warm-up; 0 takes one for each of its draws", 0,
                   1'000'000'000, [](FlowSettings& f) { return &f.training.steps; }),
             whole("batch", "positions in a step of training", 1, 1'000'000'000,
                   [](FlowSettings& f) { return &f.training.batch; }),
             {"reach", "a spline moves what lies between -reach and reach", false, 0,
              [](const FlowSettings& f) { return f.shape.reach; },
              [](FlowSettings& f, double v) { f.shape.reach = v; }},
             {"learning_rate", "size of the first steps of training", false, 0,
              [](const FlowSettings& f) { return f.training.learning_rate; },
              [](FlowSettings& f, double v) { f.training.learning_rate = v; }}}) {}

  [[nodiscard]] target::Asks asks() const override { return target::Asks::density; }
  [[nodiscard]] const FlowSettings* flow() const override { return &flow_; }
  [[nodiscard]] FlowSettings* flow() override { return &flow_; }

  [[nodiscard]] std::vector<Parameter> parameters() const override {
    std::vector<Parameter> list = slice_->parameters();
    for (const auto& number : numbers_) list.push_back({number.name, number.get(flow_), number.meaning});
    return list;
  }

  void set(std::string_view name, double value) override {
    for (const auto& number : numbers_) {
      if (number.name == name) return set_checked(number, value, flow_);
    }
    for (const Parameter& own : slice_->parameters()) {
      if (own.name == name) return slice_->set(name, value);
    }
    std::string known;
    for (const Parameter& parameter : parameters()) known.append(known.empty() ? "" : ", ").append(parameter.name);
    throw Error("this sampler has no parameter '" + std::string(name) + "'", "it has " + known, "use one of these");
  }

  [[nodiscard]] PackPtr<float, 1> pack(OneFloat width, lanes::Storage storage, std::uint64_t seed,
                                       const target::AffineMap<float>& map) const override {
    return slice_->pack(width, storage, seed, map);
  }
  [[nodiscard]] PackPtr<double, 1> pack(OneDouble width, lanes::Storage storage, std::uint64_t seed,
                                        const target::AffineMap<double>& map) const override {
    return slice_->pack(width, storage, seed, map);
  }
  [[nodiscard]] PackPtr<float, lanes::native_width<float>> pack(Floats width, lanes::Storage storage,
                                                                std::uint64_t seed,
                                                                const target::AffineMap<float>& map) const override {
    return slice_->pack(width, storage, seed, map);
  }
  [[nodiscard]] PackPtr<double, lanes::native_width<double>> pack(Doubles width, lanes::Storage storage,
                                                                  std::uint64_t seed,
                                                                  const target::AffineMap<double>& map) const override {
    return slice_->pack(width, storage, seed, map);
  }

 private:
  template <class Member>
  static ParameterOf<FlowSettings> whole(const char* name, const char* meaning, double lowest, int highest,
                                         Member member) {
    using Number = std::remove_pointer_t<std::invoke_result_t<Member, FlowSettings&>>;
    return {name,
            meaning,
            true,
            lowest,
            [member](const FlowSettings& f) {
              FlowSettings copy = f;
              return static_cast<double>(*member(copy));
            },
            [member](FlowSettings& f, double v) { *member(f) = static_cast<Number>(v); },
            highest};
  }

  std::unique_ptr<AnySampler> slice_;
  FlowSettings flow_;
  std::vector<ParameterOf<FlowSettings>> numbers_;
};

}  // namespace

std::unique_ptr<AnySampler> make_transport_slice() { return std::make_unique<TransportSlice>(); }

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
