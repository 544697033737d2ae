// TransportedRun: a run in a flow's coordinates u that takes and gives positions in the target's, x = T(u).
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/memory.hpp"
#include "breakstep/runtime/engine.hpp"
#include "breakstep/runtime/threads.hpp"
#include "breakstep/target/transported.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// Records hold u. Draws are mapped when a segment has ended, W at a time whatever chains they are of, so that no lane
/// is idle. Random starts are drawn in u's coordinates: they are draws from the flow.
template <class Real, int W>
class TransportedRun final : public Run<Real> {
 public:
  TransportedRun(std::unique_ptr<Run<Real>> inner, std::shared_ptr<const target::Flow<Real>> flow)
      : inner_(std::move(inner)), flow_(std::move(flow)) {}

  [[nodiscard]] lanes::ChainRecords& records() override { return inner_->records(); }
  [[nodiscard]] int dimension() const override { return inner_->dimension(); }

  void start(const Starts& starts) override {
    if (starts.kind != Starts::Kind::given) return inner_->start(starts);
    Starts moved = starts;
    std::vector<Real> positions(starts.positions.begin(), starts.positions.end());
    map<true>(positions);
    moved.positions.assign(positions.begin(), positions.end());
    inner_->start(moved);
  }

  Counters advance(std::uint32_t goal, std::uint32_t ahead, const DrawWindow<Real>& window,
                   const Execution& execution) override {
    std::vector<std::uint32_t> before(records().chains());
    for (std::size_t c = 0; c < before.size(); ++c) before[c] = records().draws(c);
    Counters counters = inner_->advance(goal, ahead, window, execution);
    if (window.data == nullptr) return counters;
    std::vector<Real*> made;
    for (std::size_t c = 0; c < before.size(); ++c) {
      for (std::uint32_t t = before[c]; t < records().draws(c); ++t) {
        if (Real* const slot = window.slot(c, t)) made.push_back(slot);
      }
    }
    map<false>(made, execution.threads);
    return counters;
  }

  [[nodiscard]] std::vector<double> positions() override {
    const std::vector<double> all = inner_->positions();
    std::vector<Real> mapped(all.begin(), all.end());
    map<false>(mapped);
    return {mapped.begin(), mapped.end()};
  }

  [[nodiscard]] Facts facts() override {
    Facts facts = inner_->facts();
    std::vector<Real> position(facts.first_bad_start.begin(), facts.first_bad_start.end());
    map<false>(position);
    facts.first_bad_start.assign(position.begin(), position.end());
    return facts;
  }

  void set_step_sizes(const StepSizes& sizes) override { inner_->set_step_sizes(sizes); }
  [[nodiscard]] std::vector<std::string> state_names() const override { return inner_->state_names(); }
  [[nodiscard]] std::vector<std::string> fact_names() const override { return inner_->fact_names(); }
  [[nodiscard]] int loop_count() const override { return inner_->loop_count(); }
  [[nodiscard]] int lane_count() const override { return inner_->lane_count(); }
  [[nodiscard]] std::size_t bytes_per_lane() const override { return inner_->bytes_per_lane(); }

 private:
  template <bool inverse>
  void map(std::vector<Real>& positions) const {
    std::vector<Real*> each;
    for (std::size_t at = 0; at < positions.size(); at += static_cast<std::size_t>(dimension())) {
      each.push_back(positions.data() + at);
    }
    map<inverse>(each, 1);
  }

  /// Each position in place.
  template <bool inverse>
  void map(const std::vector<Real*>& positions, int threads) const {
    constexpr std::size_t share = 64 * W;
    for_each_on_threads((positions.size() + share - 1) / share, threads, [&](std::size_t piece) {
      const lanes::FlushToZero scope;
      const int d = dimension();
      const auto memory = lanes::aligned_zeros<Real>(InterleavedVector<Real, W>::elements(d));
      const auto workspace = lanes::aligned_zeros<Real>(flow_->template workspace<W>());
      const InterleavedVector<Real, W> x(memory.get(), d);
      const std::size_t end = std::min(positions.size(), (piece + 1) * share);
      for (std::size_t first = piece * share; first < end; first += W) {
        const int count = static_cast<int>(std::min<std::size_t>(W, end - first));
        for (int lane = 0; lane < count; ++lane) {
          for (int i = 0; i < d; ++i) x.set(lane, i, positions[first + lane][i]);
        }
        inverse ? flow_->invert(x, x, workspace.get()) : flow_->apply(x, x, workspace.get());
        for (int lane = 0; lane < count; ++lane) {
          for (int i = 0; i < d; ++i) positions[first + lane][i] = x.at(lane, i);
        }
      }
    });
  }

  std::unique_ptr<Run<Real>> inner_;
  std::shared_ptr<const target::Flow<Real>> flow_;
};

/// A run of a sampler that asks for the likelihood (elliptical slice) on a target seen through a flow; not started.
template <class Real, int W, Storage S, class Sampler, target::LaneTarget Target>
std::unique_ptr<Run<Real>> make_run(const Sampler& sampler, std::shared_ptr<const target::Transported<Target>> target,
                                    std::uint64_t seed, std::size_t chains) {
  static_assert(Sampler::asks == target::Asks::likelihood, "only a sampler with the prior N(0, I) can be transported");
  const auto flow = std::make_shared<const target::Flow<Real>>(target->flow);
  const std::shared_ptr<const target::Density<Real, W>> density =
      std::make_shared<const target::TransportedDensity<Real, W>>(
          target::make_density<Real, W>(target->target, target::Asks::density), flow);
  const target::AffineMap<Real> map(target->dimension());
  auto inner = std::make_unique<Engine<Real, W>>(
      [sampler, seed, map] { return std::make_unique<SamplerPack<Sampler, Real, W, S>>(sampler, seed, map); },
      [density] { return std::make_unique<LaneEvaluator<Real, W>>(*density); }, map.dimension(), chains);
  return std::make_unique<TransportedRun<Real, W>>(std::move(inner), flow);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
