// Tunings as JSON: what a warm-up found, to be used again.
#include "tuning_file.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "breakstep/error.hpp"
#include "json.hpp"

namespace breakstep_app {
namespace {

using breakstep::Error;
using breakstep::runtime::Tuning;
using Json = nlohmann::json;

constexpr const char* format = "breakstep tuning 1";

std::string numbers_of(const Tuning& tuning) {
  JsonArray numbers;
  for (const double sd : tuning.metric.sd) numbers.add(json_number(sd));
  for (const double element : tuning.metric.covariance) numbers.add(json_number(element));
  return numbers.close();
}

std::string parameters_of(const Tuning& tuning) {
  JsonObject object;
  for (const auto& [name, value] : tuning.parameters) object.add(name, value);
  return object.close();
}

const char* name_of_metric(const Tuning& tuning) {
  if (!tuning.metric.covariance.empty()) return "covariance";
  return tuning.metric.sd.empty() ? "unit" : "sd";
}

[[noreturn]] void refuse(const std::string& path, const std::string& problem, const std::string& why) {
  throw Error("tuning file " + path + ": " + problem, why, "write one with --warmup 1000 --save-tuning FILE");
}

void require_same(const std::string& path, const Json& file, const char* what, const Json& wanted) {
  if (file.value(what, Json()) == wanted) return;
  refuse(path, std::string("its ") + what + " is " + file.value(what, Json()).dump(),
         std::string("this job's is ") + wanted.dump());
}

Tuning read_tuning(const std::string& path, const Json& entry, std::size_t d) {
  Tuning tuning;
  tuning.step_size = entry.at("step_size").get<double>();
  if (!(tuning.step_size > 0) || !std::isfinite(tuning.step_size)) {
    refuse(path, "a step size is " + std::to_string(tuning.step_size), "it must be positive");
  }
  for (const auto& [name, value] : entry.value("parameters", Json::object()).items()) {
    tuning.parameters.emplace_back(name, value.get<double>());
  }
  const auto metric = entry.at("metric").get<std::string>();
  auto numbers = entry.at("numbers").get<std::vector<double>>();
  const std::size_t wanted = metric == "sd" ? d : metric == "covariance" ? d * d : 0;
  if ((wanted == 0 && metric != "unit") || numbers.size() != wanted) {
    refuse(path, "a metric '" + metric + "' has " + std::to_string(numbers.size()) + " numbers",
           "it is 'unit' with none, 'sd' with " + std::to_string(d) + " or 'covariance' with " + std::to_string(d * d));
  }
  for (const double number : numbers) {
    if (!std::isfinite(number) || (metric == "sd" && !(number > 0))) {
      refuse(path, "a number of a metric is " + std::to_string(number), "it must be finite, and positive if an sd");
    }
  }
  (metric == "sd" ? tuning.metric.sd : tuning.metric.covariance) = std::move(numbers);
  return tuning;
}

}  // namespace

std::string tuning_text(const Job& job, const std::vector<Tuning>& tunings) {
  JsonArray entries;
  for (const Tuning& tuning : tunings) {
    entries.add(JsonObject()
                    .add("step_size", tuning.step_size)
                    .add("metric", name_of_metric(tuning))
                    .raw("numbers", numbers_of(tuning))
                    .raw("parameters", parameters_of(tuning))
                    .close());
  }
  return JsonObject()
             .add("format", format)
             .add("sampler", job.sampler_name)
             .add("target", job.target_name)
             .add("dimension", job.parameters())
             .raw("tunings", entries.close())
             .close() +
         "\n";
}

std::vector<Tuning> read_tunings(const std::string& path, const Job& job) {
  std::ifstream stream(path);
  if (!stream) throw Error("cannot read tuning file " + path, std::strerror(errno), "check the name of the file");
  try {
    const Json file = Json::parse(stream);
    if (!file.is_object()) refuse(path, "it is no object", "a tuning is one");
    require_same(path, file, "format", format);
    require_same(path, file, "sampler", job.sampler_name);
    require_same(path, file, "target", job.target_name);
    require_same(path, file, "dimension", job.parameters());
    std::vector<Tuning> tunings;
    for (const Json& entry : file.at("tunings")) tunings.push_back(read_tuning(path, entry, job.parameters()));
    if (tunings.size() != 1 && tunings.size() != job.chains) {
      refuse(path, "it has tunings for " + std::to_string(tunings.size()) + " chains",
             "this job has " + std::to_string(job.chains));
    }
    return tunings;
  } catch (const Json::exception& failure) {
    refuse(path, "it cannot be understood", failure.what());
  }
}

}  // namespace breakstep_app
