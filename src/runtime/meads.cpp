// MEADS: statistics of folds, and runs that follow them.
#include "breakstep/runtime/meads.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "breakstep/error.hpp"
#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/math.hpp"
#include "breakstep/runtime/over_chains.hpp"
#include "warming_up.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {
namespace {

/// The library's own, because parameters decide about draws and draws are the same bits everywhere.
double exponential(double x) { return exp(lanes::Pack<double, 1>(x))[0]; }

double dot(const double* a, const double* b, std::size_t size) { return std::inner_product(a, a + size, b, 0.0); }

/// Σ (xᵢ·xⱼ)² over all i, j: by products of rows or of columns, whichever are fewer.
double squared_products(const std::vector<double>& rows, std::size_t n, std::size_t d) {
  if (n <= d) {
    return sum_over_chains(n, [&](std::size_t i) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const double product = dot(rows.data() + i * d, rows.data() + j * d, d);
        sum += product * product;
      }
      return sum;
    });
  }
  auto products = sums_over_chains(0, n, d * d, [&](std::size_t c, double* sums) {
    const double* x = rows.data() + c * d;
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j <= i; ++j) sums[i * d + j] += x[i] * x[j];
    }
  });
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) products[j * d + i] = products[i * d + j];
  }
  return dot(products.data(), products.data(), products.size());
}

}  // namespace

double root_of_largest_eigenvalue(const std::vector<double>& rows, std::size_t d) {
  const std::size_t n = rows.size() / d;
  double largest = 0;
  for (const double x : rows) largest = std::max(largest, std::fabs(x));
  if (n < 2 || !(largest > 0)) return 0;
  if (!std::isfinite(largest)) return largest;
  std::vector<double> scaled = rows, squares(n);  // scaled, because fourth powers would overflow
  for (double& x : scaled) x /= largest;
  for (std::size_t c = 0; c < n; ++c) squares[c] = dot(scaled.data() + c * d, scaled.data() + c * d, d);
  const double trace = sum_over_chains(n, [&](std::size_t c) { return squares[c]; }) / static_cast<double>(n);
  const double own = sum_over_chains(n, [&](std::size_t c) { return squares[c] * squares[c]; });
  const auto pairs = static_cast<double>(n) * static_cast<double>(n - 1);
  const double trace_of_square = std::max(0.0, squared_products(scaled, n, d) - own) / pairs;
  return largest * std::sqrt(trace_of_square / trace);
}

MeadsParameters meads_parameters(const Ensemble& ensemble, double draws) {
  constexpr double share_of_stable = 0.5, smallest_step = 1e-30, largest_step = 1.0;
  const std::size_t n = ensemble.chains(), d = ensemble.dimension;
  auto mean = sums_over_chains(0, n, d, [&](std::size_t c, double* sums) {
    for (std::size_t i = 0; i < d; ++i) sums[i] += ensemble.positions[c * d + i];
  });
  for (double& m : mean) m /= static_cast<double>(n);
  const auto squares = sums_over_chains(0, n, d, [&](std::size_t c, double* sums) {
    for (std::size_t i = 0; i < d; ++i) {
      const double apart = ensemble.positions[c * d + i] - mean[i];
      sums[i] += apart * apart;
    }
  });
  MeadsParameters found;
  for (std::size_t i = 0; i < d; ++i) {
    const double sd = std::sqrt(squares[i] / static_cast<double>(n - 1));
    found.scale.push_back(sd > 0 && std::isfinite(sd) ? sd : 1.0);  // chains that are all at one place say nothing
  }
  std::vector<double> positions = ensemble.positions, gradients = ensemble.gradients;
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t i = 0; i < d; ++i) {
      double& position = positions[c * d + i];
      position = (position - mean[i]) / found.scale[i];
      gradients[c * d + i] *= found.scale[i];
    }
  }
  const double stable = share_of_stable / root_of_largest_eigenvalue(gradients, d);
  found.step_size = std::clamp(stable, smallest_step, largest_step);
  const double rate = std::max(1 / root_of_largest_eigenvalue(positions, d), 1 / ((draws + 1) * found.step_size));
  found.damping = 1 - exponential(-2 * found.step_size * rate);
  return found;
}

std::vector<std::size_t> folds_of(std::size_t chains, std::size_t folds, std::uint64_t seed, std::uint32_t draws) {
  constexpr std::uint64_t shuffling = 3;  // purpose of a seed
  const std::uint64_t own_seed = derived_seed(derived_seed(seed, shuffling), draws / folds);
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  order.reserve(chains);
  for (std::size_t c = 0; c < chains; ++c) order.emplace_back(derived_seed(own_seed, c), c);
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> fold(chains);
  for (std::size_t rank = 0; rank < chains; ++rank) fold[order[rank].second] = rank % folds;
  return fold;
}

namespace {

/// Those of the chains `members` that are in a place with a density. The others are all chains'.
Ensemble ensemble_of(const std::vector<std::size_t>& members, const std::vector<double>& x,
                     const std::vector<double>& gradient, const std::vector<double>& log_density) {
  Ensemble ensemble{.dimension = x.size() / log_density.size(), .positions = {}, .gradients = {}};
  const auto d = static_cast<std::ptrdiff_t>(ensemble.dimension);
  ensemble.positions.reserve(members.size() * ensemble.dimension);
  ensemble.gradients.reserve(members.size() * ensemble.dimension);
  const auto is_finite = [](double value) { return std::isfinite(value); };
  for (const std::size_t c : members) {
    const auto own_x = x.begin() + static_cast<std::ptrdiff_t>(c) * d,
               own_g = gradient.begin() + static_cast<std::ptrdiff_t>(c) * d;
    if (!std::isfinite(log_density[c]) || !std::all_of(own_g, own_g + d, is_finite)) continue;
    ensemble.positions.insert(ensemble.positions.end(), own_x, own_x + d);
    ensemble.gradients.insert(ensemble.gradients.end(), own_g, own_g + d);
  }
  if (ensemble.chains() < 2) {
    throw Error("a fold of chains has no two with a usable density",
                "other folds take their step size and scales from where its chains are",
                "give starts nearer to where the target has its mass, more chains, or fewer folds");
  }
  return ensemble;
}

}  // namespace

template <class Real>
FoldedRun<Real>::FoldedRun(std::unique_ptr<Run<Real>> run, std::size_t folds, std::uint64_t seed, double draws_before)
    : run_(std::move(run)),
      folds_(folds),
      seed_(seed),
      draws_before_(draws_before),
      x_(records(), "x"),
      gradient_(records(), "gradient"),
      log_density_(records(), "log_density"),
      step_size_(records(), "given_step_size"),
      damping_(records(), "given_damping"),
      scale_(records(), "scale"),
      members_(folds) {}

template <class Real>
void FoldedRun<Real>::start(const Starts& starts) {
  const std::size_t chains = records().chains();
  if (chains < 2 * folds_) {
    throw Error(
        std::to_string(chains) + (chains == 1 ? " chain in " : " chains in ") + std::to_string(folds_) + " folds",
        "every fold needs at least 2, and better many", "ask for more chains, or fewer folds (--set folds=2)");
  }
  run_->start(starts);
}

template <class Real>
Counters FoldedRun<Real>::advance(std::uint32_t goal, std::uint32_t, const DrawWindow<Real>& window,
                                  const Execution& execution) {
  Counters counters;
  const std::uint32_t first = records().draws(0);
  for (std::size_t c = 1; c < records().chains(); ++c) {
    if (records().draws(c) != first) {
      throw Error("chains of a folded run have made different numbers of draws", "they follow each other draw by draw",
                  "continue from records that such a run has saved");
    }
  }
  for (std::uint32_t draw = first; draw < goal; ++draw) {
    write_parameters(draw);
    counters.add(run_->advance(draw + 1, draw + 1, window, execution));
  }
  return counters;
}

template <class Real>
void FoldedRun<Real>::set_step_sizes(const StepSizes&) {
  throw Error("the step sizes of a folded run cannot be set", "they come from the other folds",
              "fix them first (folds=0)");
}

/// The same chains stay together for as many draws as there are folds.
template <class Real>
void FoldedRun<Real>::shuffle(std::uint32_t draw) {
  const auto number = static_cast<std::uint32_t>(draw / folds_);
  if (shuffle_ == number) return;
  shuffle_ = number;
  const auto fold_of = folds_of(records().chains(), folds_, seed_, draw);
  for (auto& fold : members_) fold.clear();
  for (std::size_t c = 0; c < fold_of.size(); ++c) members_[fold_of[c]].push_back(c);
}

template <class Real>
void FoldedRun<Real>::write_parameters(std::uint32_t draw) {
  const lanes::FlushToZero scope;
  auto& all = records();
  x_.read(all, positions_);
  gradient_.read(all, gradients_);
  log_density_.read(all, log_densities_);
  shuffle(draw);
  const std::size_t held = draw % folds_;
  for (std::size_t fold = 0; fold < folds_; ++fold) {
    MeadsParameters found{.step_size = 0, .damping = 0, .scale = std::vector<double>(scale_.elements(), 1.0)};
    if (fold != held) {
      const auto& followed = members_[(fold + folds_ - 1) % folds_];
      found = meads_parameters(ensemble_of(followed, positions_, gradients_, log_densities_), draws_before_ + draw);
    }
    for (const std::size_t c : members_[fold]) {
      step_size_.write(all, c, &found.step_size);
      damping_.write(all, c, &found.damping);
      scale_.write(all, c, found.scale.data());
    }
  }
}

template class FoldedRun<float>;
template class FoldedRun<double>;

namespace {

/// Mean acceptance and divergent draws, of those that moved.
template <class Real>
void count(const std::vector<std::string>& names, const std::vector<Real>& facts, WarmUpFacts& result) {
  const std::size_t moved = index_of(names, "leapfrogs"), accept = index_of(names, "accept_stat"),
                    divergent = index_of(names, "divergent");
  double sum = 0, moves = 0;
  for (std::size_t first = 0; first < facts.size(); first += names.size()) {
    if (!(facts[first + moved] > 0)) continue;
    ++moves;
    sum += static_cast<double>(facts[first + accept]);
    result.divergent += facts[first + divergent] > 0 ? 1 : 0;
  }
  result.accept_stat = moves > 0 ? sum / moves : 0;
}

}  // namespace

template <class Real>
WarmUp warm_up_meads(const typename RunsOf<Real>::Make& make, const WarmUpOptions& options, std::uint64_t seed,
                     const Execution& execution) {
  constexpr std::uint64_t drawing = 1;  // purpose of a seed
  if (options.draws < 1) throw Error("a warm-up has no draws", "it needs at least 1", "give more, or leave it out");
  const double begin = now();
  const auto run = make({}, derived_seed(seed, drawing));
  run->start(options.starts);
  WarmUp result;
  const std::uint32_t half = options.draws / 2;
  const auto names = run->fact_names();
  std::vector<Real> facts(run->records().chains() * (options.draws - half) * names.size());
  result.facts.counters = run->advance(half, half, {}, execution);
  result.facts.counters.add(run->advance(options.draws, options.draws,
                                         {.data = nullptr,
                                          .first = half,
                                          .count = options.draws - half,
                                          .dimension = run->dimension(),
                                          .facts = facts.data(),
                                          .fact_count = static_cast<int>(names.size())},
                                         execution));
  count(names, facts, result.facts);
  note_starts(run->facts(), result.facts);
  result.positions = run->positions();
  const lanes::FlushToZero scope;
  const auto& records = run->records();
  const auto read = [&](const char* field) { return lanes::RecordField<Real>(records, field).read(records); };
  std::vector<std::size_t> everybody(records.chains());
  std::iota(everybody.begin(), everybody.end(), std::size_t{0});
  const auto found =
      meads_parameters(ensemble_of(everybody, read("x"), read("gradient"), read("log_density")), options.draws);
  result.tuning = {.step_size = found.step_size,
                   .metric = {.sd = found.scale},
                   .parameters = {{"damping", found.damping}, {"draws_before", options.draws}}};
  result.facts.seconds = now() - begin;
  return result;
}

template WarmUp warm_up_meads<float>(const RunsOf<float>::Make&, const WarmUpOptions&, std::uint64_t, const Execution&);
template WarmUp warm_up_meads<double>(const RunsOf<double>::Make&, const WarmUpOptions&, std::uint64_t,
                                      const Execution&);

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
