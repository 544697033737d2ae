// What `breakstep sample` tells another program.
#include <algorithm>
#include <array>
#include <cstdio>

#include "json.hpp"
#include "report.hpp"

namespace breakstep_app {
namespace {

namespace diagnostics = breakstep::diagnostics;

std::string hash_text(std::uint64_t hash) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

std::string json_of_unmoved(const Report& report) {
  JsonArray first;
  for (std::size_t i = 0; i < std::min(report.unmoved.size(), chains_named); ++i) {
    first.add(std::to_string(report.unmoved[i]));
  }
  return JsonObject().add("count", report.unmoved.size()).raw("first", first.close()).close();
}

std::string json_of_apart(const Report& report) {
  JsonArray first;
  for (std::size_t i = 0; i < std::min(report.apart.size(), chains_named); ++i) {
    const diagnostics::ChainApart& chain = report.apart[i].chain;
    first.add(JsonObject()
                  .add("chain", chain.chain)
                  .add("parameter", report.names[report.apart[i].parameter])
                  .add("mean", chain.mean)
                  .add("median", chain.median)
                  .add("errors", chain.errors)
                  .close());
  }
  return JsonObject()
      .add("count", report.apart.size())
      .add("limit", report.apart_limit)
      .raw("first", first.close())
      .close();
}

std::string json_of_histogram(const Trajectories& about) {
  JsonArray bins;
  for (std::size_t k = 0; k < about.histogram.size(); ++k) {
    const std::uint64_t first = k == 0 ? 0 : std::uint64_t{1} << (k - 1);
    bins.add(
        JsonObject().add("from", first).add("to", k == 0 ? 0 : 2 * first - 1).add("draws", about.histogram[k]).close());
  }
  return bins.close();
}

}  // namespace

std::string json_of(const Job& job, const Report& report) {
  JsonArray parameters;
  for (std::size_t i = 0; i < report.names.size(); ++i) {
    const diagnostics::Summary& s = report.summaries[i];
    JsonObject parameter;
    parameter.add("name", report.names[i])
        .add("mean", s.mean)
        .add("sd", s.sd)
        .add("mcse_mean", s.mcse_mean)
        .add("mcse_sd", s.mcse_sd)
        .add("q5", s.q5)
        .add("q50", s.q50)
        .add("q95", s.q95)
        .add("rhat", s.rhat)
        .add("ess_bulk", s.ess_bulk)
        .add("ess_tail", s.ess_tail);
    if (!report.nested.empty()) parameter.add("nested_rhat", report.nested[i]);
    parameters.add(parameter.close());
  }
  JsonObject object;
  object.raw("parameters", parameters.close())
      .add("chains", job.chains)
      .add("draws", job.draws)
      .add("seconds", report.seconds)
      .add("draws_per_second", draws_per_second(job, report))
      .add("evaluations_per_second", evaluations_per_second(report))
      .add("occupancy", report.counters.occupancy())
      .add("draws_hash", hash_text(report.hash))
      .add("bytes_per_chain", report.bytes_per_chain)
      .add("bytes_per_lane", report.bytes_per_lane)
      .raw("unmoved_chains", json_of_unmoved(report))
      .raw("chains_apart", json_of_apart(report));
  for (const Trajectories& about : report.trajectories) {
    object.raw("trajectories", JsonObject()
                                   .add("accept_stat", about.accept_stat)
                                   .add("leapfrogs", about.leapfrogs)
                                   .add("tree_depth", about.tree_depth)
                                   .add("divergent", about.divergent)
                                   .add("deepest", about.deepest)
                                   .add("ebfmi", about.energy_fraction)
                                   .add("R", about.waiting_ratio)
                                   .raw("histogram", json_of_histogram(about))
                                   .close());
  }
  if (report.warm_up) object.raw("warm_up", report.warm_up->json);
  return object.close() + "\n";
}

}  // namespace breakstep_app
