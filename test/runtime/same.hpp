// The `same` checks: every way of running a sampler must give, bit for bit, the draws of one chain at a time.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "engines.hpp"

namespace runtime_test {

inline constexpr std::size_t chains = 37;  // no multiple of any width
// Sanitizer builds are slow, and look for mistakes that fewer draws make as well.
#ifdef BREAKSTEP_FEW_WIDTHS
inline constexpr std::uint32_t draws = 5;
#else
inline constexpr std::uint32_t draws = 13;
#endif
inline constexpr std::uint64_t seed = 20250713;

template <class Real>
std::vector<Real> run_to_the_end(Run<Real>& run, const Execution& execution) {
  std::vector<Real> values(chains * draws * static_cast<std::size_t>(run.dimension()));
  const auto fact_count = run.fact_names().size();
  std::vector<Real> facts(chains * draws * fact_count);
  run.start({});
  run.advance(draws, draws,
              {.data = values.data(),
               .first = 0,
               .count = draws,
               .dimension = run.dimension(),
               .facts = facts.empty() ? nullptr : facts.data(),
               .fact_count = static_cast<int>(fact_count)},
              execution);
  values.insert(values.end(), facts.begin(), facts.end());
  return values;
}

/// Every schedule, and for free running every step with every combination of its options, on 1, 2 and 5 threads in
/// turn.
inline std::vector<Execution> every_execution() {
  std::vector<Execution> list;
  const int threads[] = {1, 2, 5};
  for (const auto schedule : {Schedule::lockstep, Schedule::lockstep_skip, Schedule::lockstep_pack}) {
    for (const int t : threads) list.push_back({.schedule = schedule, .threads = t});
  }
  std::size_t turn = 0;
  for (const auto step : {Step::automatic, Step::switched_inline, Step::switched_amortized, Step::bundled_inline,
                          Step::bundled_amortized, Step::gathered}) {
    for (const bool skip : {false, true}) {
      for (const bool refill : {false, true}) {
        for (const int parking : {0, 1, 3}) {
          for (const auto order : {Order::chronological, Order::by_frequency}) {
            list.push_back({.step = step,
                            .schedule = Schedule::free_running,
                            .order = order,
                            .threads = threads[turn++ % 3],
                            .skip = skip,
                            .refill = refill,
                            .parking = parking});
          }
        }
      }
    }
  }
  return list;
}

inline std::string describe(const Execution& e) {
  std::ostringstream out;
  out << name_of(e.schedule) << " " << name_of(e.step) << " threads " << e.threads << " skip " << e.skip << " refill "
      << e.refill << " parking " << e.parking << " order " << static_cast<int>(e.order);
  return out.str();
}

/// The first place where two sets of draws differ, in words; empty if they are the same bits.
template <class Real>
std::string difference(const std::vector<Real>& a, const std::vector<Real>& b, int dimension) {
  if (a.size() != b.size()) return "different sizes";
  for (std::size_t i = 0; i < a.size(); ++i) {
    using Bits = breakstep::lanes::Unsigned<sizeof(Real)>;
    if (std::bit_cast<Bits>(a[i]) == std::bit_cast<Bits>(b[i]) || (a[i] != a[i] && b[i] != b[i])) continue;
    std::ostringstream out;
    const auto d = static_cast<std::size_t>(dimension);
    out << "chain " << i / d / draws << " draw " << i / d % draws << " coordinate " << i % d << ": " << a[i] << " and "
        << b[i];
    return out.str();
  }
  return "";
}

template <class Real, class Sampler, class Target>
std::vector<Real> one_chain_at_a_time(const Sampler& sampler, const Target& target) {
  const auto run = make_run<Real>(sampler, target, 1, Storage::interleaved, chains, seed);
  return run_to_the_end(*run, {.schedule = Schedule::lockstep_pack});
}

template <class Real, class Sampler, class Target>
void check_every_way_of_running(const Sampler& sampler, const Target& target) {
  const auto reference = one_chain_at_a_time<Real>(sampler, target);
  for (const int width : widths) {
    for (const auto storage : {Storage::interleaved, Storage::contiguous}) {
      const auto run = make_run<Real>(sampler, target, width, storage, chains, seed);
      for (const Execution& execution : every_execution()) {
        ASSERT_EQ(difference(run_to_the_end(*run, execution), reference, run->dimension()), "")
            << "width " << width << " " << name_of(storage) << " " << describe(execution);
      }
    }
  }
}

/// Stops at random draws; goes on as it is, or saves and goes on from the bytes at another width and storage; with the
/// same execution or another. Chains may run ahead.
template <class Real, class Sampler, class Target>
void check_stopping_and_going_on(const Sampler& sampler, const Target& target, int trials) {
  const auto reference = one_chain_at_a_time<Real>(sampler, target);
  const auto executions = every_execution();
  std::mt19937 choose(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(choose() % n); };
  for (int trial = 0; trial < trials; ++trial) {
    std::string bytes, story;
    std::vector<Real> values, facts;
    std::uint32_t furthest = 0;
    std::unique_ptr<Run<Real>> run;
    const Execution* execution = nullptr;
    for (std::uint32_t goal = 0; goal < draws;) {
      if (!run || below(2) == 0) {
        const int width = widths[below(std::size(widths))];
        const auto storage = below(2) == 0 ? Storage::interleaved : Storage::contiguous;
        run = make_run<Real>(sampler, target, width, storage, chains, seed);
        run->start({});
        story += "\n  width " + std::to_string(width) + " " + std::string(name_of(storage));
        if (!bytes.empty()) {
          std::istringstream in(bytes);
          run->records().load(in);
        }
      }
      goal = std::min(draws, goal + 1 + static_cast<std::uint32_t>(below(6)));
      const auto ahead = std::min(draws, goal + static_cast<std::uint32_t>(below(5)));
      furthest = std::max(furthest, ahead);
      if (execution == nullptr || below(2) == 0) execution = &executions[below(executions.size())];
      const auto fact_count = run->fact_names().size();
      values.resize(chains * draws * static_cast<std::size_t>(run->dimension()));
      facts.resize(chains * draws * fact_count);
      run->advance(goal, ahead,
                   {.data = values.data(),
                    .first = 0,
                    .count = draws,
                    .dimension = run->dimension(),
                    .facts = facts.empty() ? nullptr : facts.data(),
                    .fact_count = static_cast<int>(fact_count)},
                   *execution);
      for (std::size_t c = 0; c < chains; ++c) {
        ASSERT_GE(run->records().draws(c), goal);
        ASSERT_LE(run->records().draws(c), furthest);
      }
      std::ostringstream out;
      run->records().save(out);
      bytes = out.str();
      story += "\n  to " + std::to_string(goal) + " (ahead " + std::to_string(ahead) + ") " + describe(*execution);
    }
    const int dimension = static_cast<int>(values.size() / chains / draws);
    values.insert(values.end(), facts.begin(), facts.end());
    ASSERT_EQ(difference(values, reference, dimension), "") << story;
  }
}

}  // namespace runtime_test
