// FlowTrainer: fits a flow to a target by Adam.
#include "breakstep/runtime/flow_training.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "breakstep/error.hpp"
#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/memory.hpp"
#include "breakstep/lanes/random.hpp"
#include "breakstep/runtime/threads.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

namespace {

using lanes::InterleavedVector;
using lanes::Mask;
using lanes::Pack;
using target::FlowNumbers;

/// Lanes that go through the flow together; how many never shows, because sums go over positions in their order.
constexpr int width = lanes::native_width<double>;
/// Positions of a piece, which decides the order of sums.
constexpr std::size_t piece_size = 64;
static_assert(piece_size % width == 0);

using Batch = InterleavedVector<double, width>;

enum Purpose : unsigned { positions_of_batches = 11, choices = 12, positions_of_ratios = 13 };

/// Vectors of `width` lanes with memory of their own.
struct Vectors {
  explicit Vectors(int d) : memory(lanes::aligned_zeros<double>(Batch::elements(d))), at(memory.get(), d) {}
  lanes::AlignedArray<double> memory;
  Batch at;
};

Pack<std::uint64_t, width> numbers_from(std::size_t first) {
  return Pack<std::uint64_t, width>(static_cast<std::uint64_t>(first)) + Pack<std::uint64_t, width>::lane_numbers();
}

void fill_standard_normal(const Batch& u, std::uint64_t seed, std::size_t first, std::uint64_t step, Purpose purpose) {
  const lanes::Stream<double, width> stream(seed, numbers_from(first), Pack<std::uint64_t, width>(step));
  fill_normal(Mask<width>::all_lanes(), u, stream, std::uint64_t{0}, purpose);
}

void check(const TrainingOptions& options) {
  if (options.batch < 1) throw Error("a batch has no positions", "it needs at least 1", "give more");
  if (!(options.learning_rate > 0) || !std::isfinite(options.learning_rate)) {
    throw Error("the learning rate is " + std::to_string(options.learning_rate), "it must be positive",
                "give a positive one, such as 0.01");
  }
}

}  // namespace

/// What one thread needs for one piece of a batch.
struct FlowTrainer::Piece {
  Piece(const target::Flow<double>& flow, const Density* density)
      : u(flow.dimension()),
        x(flow.dimension()),
        adjoint(flow.dimension()),
        tape(lanes::aligned_zeros<double>(flow.tape<width>())),
        scratch(lanes::aligned_zeros<double>(flow.layout().scratch() * width)),
        workspace(lanes::aligned_zeros<double>(density != nullptr ? density->workspace() : 0)),
        gradient(flow.layout().parameters()) {}

  /// Values of the density at x, and their gradients in `adjoint` if asked for.
  Pack<double, width> evaluate(const Density& density, bool with_gradient) const {
    return with_gradient ? density.evaluate(x.at, adjoint.at, workspace.get())
                         : density.evaluate(x.at, workspace.get());
  }

  /// Lanes whose density or gradient is not finite count for nothing.
  Mask<width> usable(Pack<double, width> values, int count) const {
    Mask<width> good = Mask<width>::first_lanes(count);
    for (int lane = 0; lane < count; ++lane) {
      bool finite = std::isfinite(values[lane]);
      for (int i = 0; finite && i < x.at.length(); ++i) finite = std::isfinite(adjoint.at.at(lane, i));
      good.set(lane, finite);
    }
    return good;
  }

  void add_loss(Pack<double, width> loss, Mask<width> where) {
    for (int lane = 0; lane < width; ++lane) {
      if (!where[lane]) continue;
      sum += loss[lane];
      ++used;
    }
  }

  /// −(log π(T(u)) + log|det|) of `count` fresh u from number `first` on.
  void learn_reverse(const target::Flow<double>& flow, const Density& density, std::uint64_t seed, std::size_t first,
                     int count, std::uint64_t step) {
    fill_standard_normal(u.at, seed, first, step, positions_of_batches);
    const auto log_determinant = flow.record<width>(u.at, x.at, tape.get());
    const auto values = evaluate(density, true);
    const Mask<width> good = usable(values, count);
    const Pack<double, width> zero(0.0), weight = select(good, Pack<double, width>(-1.0), zero);
    for (int i = 0; i < x.at.length(); ++i) adjoint.at.store(i, select(good, -adjoint.at[i], zero));
    add_loss(-(values + log_determinant), good);
    left_out += static_cast<std::uint64_t>(count - good.count());
    flow.pull_back<width>(x.at, weight, adjoint.at, tape.get(), gradient.data(), scratch.get());
  }

  /// −(log N(T⁻¹(x)) + log|det|) of the positions in the first `count` lanes of x.
  void learn_forward(const target::Flow<double>& flow, int count) {
    const auto log_determinant = flow.record_inverse<width>(x.at, u.at, tape.get());
    const Mask<width> good = Mask<width>::first_lanes(count);
    const Pack<double, width> zero(0.0), weight = select(good, Pack<double, width>(-1.0), zero);
    for (int i = 0; i < x.at.length(); ++i) adjoint.at.store(i, select(good, u.at[i], zero));
    add_loss(0.5 * dot(Mask<width>::all_lanes(), u.at, u.at) - log_determinant, good);
    flow.pull_back_inverse<width>(x.at, weight, adjoint.at, tape.get(), gradient.data(), scratch.get());
  }

  void clear() {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    sum = 0;
    used = left_out = 0;
  }

  Vectors u, x, adjoint;
  lanes::AlignedArray<double> tape, scratch, workspace;
  std::vector<double> gradient;
  double sum = 0;
  std::uint64_t used = 0, left_out = 0;
};

FlowTrainer::FlowTrainer(FlowNumbers start, std::shared_ptr<const Density> density, const TrainingOptions& options,
                         std::uint64_t seed)
    : flow_(std::move(start)), compiled_(flow_), density_(std::move(density)), options_(options), seed_(seed) {
  check(options);
  const std::size_t n = flow_.parameters.size();
  gradient_.resize(n);
  first_.resize(n);
  second_.resize(n);
  for (std::size_t at = 0; at < options.batch; at += piece_size) {
    pieces_.push_back(std::make_unique<Piece>(compiled_, density_.get()));
  }
}

FlowTrainer::~FlowTrainer() = default;

double FlowTrainer::step() { return take_step(nullptr); }
double FlowTrainer::step(const std::vector<double>& positions) { return take_step(&positions); }

double FlowTrainer::take_step(const std::vector<double>* positions) {
  const auto d = static_cast<std::size_t>(flow_.shape.dimension);
  for_each_on_threads(pieces_.size(), options_.threads, [&](std::size_t p) {
    const lanes::FlushToZero scope;
    Piece& piece = *pieces_[p];
    piece.clear();
    const std::size_t end = std::min(options_.batch, (p + 1) * piece_size);
    for (std::size_t first = p * piece_size; first < end; first += width) {
      const int count = static_cast<int>(std::min<std::size_t>(width, end - first));
      if (positions == nullptr) {
        piece.learn_reverse(compiled_, *density_, seed_, first, count, steps_);
        continue;
      }
      const lanes::Stream<double, width> stream(seed_, numbers_from(first), Pack<std::uint64_t, width>(steps_));
      const auto uniform = stream.uniforms(std::uint64_t{0}, choices)[0];
      const std::size_t position_count = positions->size() / d;
      for (int lane = 0; lane < width; ++lane) {
        const auto which = static_cast<std::size_t>(uniform[lane] * static_cast<double>(position_count));
        for (std::size_t i = 0; i < d; ++i) {
          piece.x.at.set(lane, static_cast<int>(i), (*positions)[which * d + i]);
        }
      }
      piece.learn_forward(compiled_, count);
    }
  });
  double sum = 0;
  std::uint64_t used = 0;
  for (const auto& piece : pieces_) {
    sum += piece->sum;
    used += piece->used;
    left_out_ += piece->left_out;
  }
  const double share = used > 0 ? 1.0 / static_cast<double>(used) : 0.0;
  for (std::size_t i = 0; i < gradient_.size(); ++i) {
    double total = 0;
    for (const auto& piece : pieces_) total += piece->gradient[i];
    gradient_[i] = total * share;
  }
  const bool moved = used > 0 && move();
  ++steps_;
  if (!moved) ++skipped_;
  return moved ? sum * share : std::numeric_limits<double>::quiet_NaN();
}

/// Adam's update. A gradient that is far longer than usual is shortened: one bad position should not undo what many
/// have taught.
bool FlowTrainer::move() {
  constexpr double keep_first = 0.9, keep_second = 0.999, floor = 1e-8, longest = 3, keep_norm = 0.95,
                   last_share = 0.01;
  double squares = 0;
  for (const double g : gradient_) squares += g * g;
  const double norm = std::sqrt(squares);
  if (!std::isfinite(norm)) return false;
  const double limit = usual_norm_ > 0 ? longest * usual_norm_ : norm;
  const double shortened = norm > limit ? limit / norm : 1.0;
  usual_norm_ = usual_norm_ > 0 ? keep_norm * usual_norm_ + (1 - keep_norm) * std::min(norm, limit) : norm;
  decay_first_ *= keep_first;
  decay_second_ *= keep_second;
  const double progress = std::min(1.0, static_cast<double>(steps_) / std::max(1U, options_.steps));
  const double rate = options_.learning_rate * (1 - (1 - last_share) * progress);
  for (std::size_t i = 0; i < gradient_.size(); ++i) {
    const double g = gradient_[i] * shortened;
    first_[i] = keep_first * first_[i] + (1 - keep_first) * g;
    second_[i] = keep_second * second_[i] + (1 - keep_second) * g * g;
    flow_.parameters[i] -=
        rate * (first_[i] / (1 - decay_first_)) / (std::sqrt(second_[i] / (1 - decay_second_)) + floor);
  }
  compiled_.set_parameters(flow_.parameters);
  return true;
}

void FlowTrainer::fit_scales(const std::vector<double>& positions) {
  const auto d = static_cast<std::size_t>(flow_.shape.dimension);
  const std::size_t count = positions.size() / d;
  constexpr double quartiles_of_normal = 1.3489795003921634, least = 1e-8;
  std::vector<double> values(count);
  const auto quantile = [&](double p) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(p * static_cast<double>(count - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  };
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t k = 0; k < count; ++k) values[k] = positions[k * d + i];
    if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) continue;
    const double low = quantile(0.25), middle = quantile(0.5), high = quantile(0.75);
    flow_.parameters[compiled_.layout().shifts() + i] = middle;
    if (!(high - low > least)) continue;
    const lanes::FlushToZero scope;
    flow_.parameters[compiled_.layout().log_scales() + i] = log(Pack<double, 1>((high - low) / quartiles_of_normal))[0];
  }
  compiled_.set_parameters(flow_.parameters);
}

std::vector<double> FlowTrainer::log_ratios(std::size_t count) {
  const std::size_t groups = (count + width - 1) / width, per_piece = (groups + pieces_.size() - 1) / pieces_.size();
  std::vector<double> ratios(groups * width);
  for_each_on_threads(pieces_.size(), options_.threads, [&](std::size_t p) {
    const lanes::FlushToZero scope;
    Piece& piece = *pieces_[p];
    for (std::size_t g = p * per_piece; g < std::min(groups, (p + 1) * per_piece); ++g) {
      fill_standard_normal(piece.u.at, seed_, g * width, 0, positions_of_ratios);
      const auto log_determinant = compiled_.apply<width>(piece.u.at, piece.x.at, piece.tape.get());
      const auto values = piece.evaluate(*density_, false);
      const auto squares = dot(Mask<width>::all_lanes(), piece.u.at, piece.u.at);
      (values + fma(squares, Pack<double, width>(0.5), log_determinant)).store(ratios.data() + g * width);
    }
  });
  ratios.resize(count);
  return ratios;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
