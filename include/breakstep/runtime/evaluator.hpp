// Evaluator: answers what the lanes of one or more packs have asked. Each thread has one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/memory.hpp"
#include "breakstep/runtime/counters.hpp"
#include "breakstep/runtime/lane_pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// A pack and the lanes of it that wait for an answer.
template <class Real, int W>
struct Question {
  LanePack<Real, W>* pack;
  Mask<W> where;
};

template <class Real, int W>
class Evaluator {
 public:
  Evaluator() = default;
  virtual ~Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// How many packs' questions a runtime should collect for one call, because that is cheaper than one by one.
  enum class Collects { one, two, all };
  [[nodiscard]] virtual Collects collects() const { return Collects::one; }
  virtual void answer(std::span<const Question<Real, W>> questions, Counters& counters) = 0;
  /// From now on lanes that nobody waits for are evaluated, too, as lock-step under vmap does.
  virtual void evaluate_whole_packs() {}

  /// The density and the memory it works in, for packs that ask it themselves; null if one density does not say all.
  struct Bare {
    const target::Density<Real, W>* density = nullptr;
    Real* workspace = nullptr;
  };
  [[nodiscard]] virtual Bare bare() const { return {}; }

  virtual void answer(LanePack<Real, W>& pack, Mask<W> where, Counters& counters) {
    const Question<Real, W> question{&pack, where};
    answer(std::span(&question, 1), counters);
  }
};

/// Answers with a density: in lanes W positions at a time, whether wanted or not; from rows, if both the density and
/// the pack can, only those that are wanted.
template <class Real, int W>
class LaneEvaluator final : public Evaluator<Real, W> {
 public:
  explicit LaneEvaluator(const target::Density<Real, W>& density)
      : density_(&density),
        reads_rows_(density.reads_rows()),
        takes_two_(density.takes_two()),
        workspace_(lanes::aligned_zeros<Real>(density.workspace())) {}

  using typename Evaluator<Real, W>::Collects;
  [[nodiscard]] Collects collects() const override { return takes_two_ ? Collects::two : Collects::one; }
  using Evaluator<Real, W>::answer;
  void answer(std::span<const Question<Real, W>> questions, Counters& counters) override {
    std::size_t next = 0;
    for (; takes_two_ && next + 1 < questions.size(); next += 2)
      answer_two(questions[next], questions[next + 1], counters);
    for (; next < questions.size(); ++next) answer(*questions[next].pack, questions[next].where, counters);
  }
  void answer(LanePack<Real, W>& pack, Mask<W> where, Counters& counters) override {
    counters.evaluations_asked += static_cast<std::uint64_t>(where.count());
    if (reads_rows_ && pack.keeps_rows()) {
      const auto computed = whole_packs_ ? Mask<W>::all_lanes() : where;
      auto rows = pack.take_rows();
      lanes::for_each_lane(computed & ~where,
                           [&](int lane) { rows.gradient.lanes[lane] = unwanted(lane, rows.x.size); });
      pack.give(where, density_->evaluate_rows(computed, rows.x, rows.gradient, workspace_.get()));
      counters.evaluations_executed += static_cast<std::uint64_t>(computed.count());
      return;
    }
    if (const auto* gradient = pack.gradient_answer()) {
      pack.give(where, density_->evaluate(pack.request(where), *gradient, workspace_.get()));
    } else {
      pack.give(where, density_->evaluate(pack.request(where), workspace_.get()));
    }
    counters.evaluations_executed += W;
  }
  void evaluate_whole_packs() override { whole_packs_ = true; }
  [[nodiscard]] typename Evaluator<Real, W>::Bare bare() const override { return {density_, workspace_.get()}; }

 private:
  void answer_two(const Question<Real, W>& first, const Question<Real, W>& second, Counters& counters) {
    const target::TwoVectors<Real, W> x{first.pack->request(first.where), second.pack->request(second.where)};
    const auto* gradient = first.pack->gradient_answer();
    const auto values = gradient != nullptr
                            ? density_->evaluate_two(x, {*gradient, *second.pack->gradient_answer()}, workspace_.get())
                            : density_->evaluate_two(x, workspace_.get());
    first.pack->give(first.where, values[0]);
    second.pack->give(second.where, values[1]);
    counters.evaluations_asked += static_cast<std::uint64_t>(first.where.count() + second.where.count());
    counters.evaluations_executed += 2 * W;
  }

  /// Where the gradient of a lane goes that nobody waits for.
  [[nodiscard]] Real* unwanted(int lane, int length) {
    using Vectors = lanes::Vector<Real, W, lanes::Storage::contiguous>;
    if (unwanted_ == nullptr) unwanted_ = lanes::aligned_zeros<Real>(Vectors::elements(length));
    return Vectors(unwanted_.get(), length).lane_data(lane);
  }

  const target::Density<Real, W>* density_;
  bool reads_rows_;
  bool takes_two_;
  bool whole_packs_ = false;
  lanes::AlignedArray<Real> workspace_;
  lanes::AlignedArray<Real> unwanted_;
};

/// Answers with one call for all questions. The target sees doubles, in the float mode of whoever called the library.
template <target::BatchTarget Target, class Real, int W>
class BatchEvaluator final : public Evaluator<Real, W> {
 public:
  using typename Evaluator<Real, W>::Collects;
  BatchEvaluator(const Target& target, unsigned callers_float_mode)
      : target_(&target), float_mode_(callers_float_mode) {}

  [[nodiscard]] Collects collects() const override { return Collects::all; }
  using Evaluator<Real, W>::answer;
  void answer(std::span<const Question<Real, W>> questions, Counters& counters) override {
    const auto dimension = static_cast<std::size_t>(target_->dimension());
    positions_.clear();
    for (const auto& [pack, where] : questions) {
      const auto& request = pack->request(where);
      lanes::for_each_lane(where, [&](int lane) {
        for (std::size_t i = 0; i < dimension; ++i) {
          positions_.push_back(static_cast<double>(request.at(lane, static_cast<int>(i))));
        }
      });
    }
    values_.resize(positions_.size() / dimension);
    const bool with_gradient = !questions.empty() && questions.front().pack->gradient_answer() != nullptr;
    if (!values_.empty()) {
      const lanes::CallersFloatMode theirs(float_mode_);
      if constexpr (target::BatchGradient<Target>) {
        gradients_.resize(with_gradient ? positions_.size() : 0);
        if (with_gradient) {
          target_->log_density_and_gradient(positions_.data(), values_.size(), values_.data(), gradients_.data());
        } else {
          target_->log_density(positions_.data(), values_.size(), values_.data());
        }
      } else {
        target_->log_density(positions_.data(), values_.size(), values_.data());
      }
    }
    std::size_t next = 0;
    for (const auto& [pack, where] : questions) {
      Pack<Real, W> value(Real(0));
      lanes::for_each_lane(where, [&, p = pack](int lane) {
        if (with_gradient) {
          for (std::size_t i = 0; i < dimension; ++i) {
            p->gradient_answer()->set(lane, static_cast<int>(i), static_cast<Real>(gradients_[next * dimension + i]));
          }
        }
        value.set(lane, static_cast<Real>(values_[next++]));
      });
      pack->give(where, value);
    }
    counters.evaluations_executed += values_.size();
    counters.evaluations_asked += values_.size();
  }

 private:
  const Target* target_;
  unsigned float_mode_;
  std::vector<double> positions_;
  std::vector<double> values_;
  std::vector<double> gradients_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
