// Tunings as JSON: what a warm-up found, to be used again.
#include "tuning_file.hpp"

#include <array>
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
  const Json parameters = entry.value("parameters", Json::object());  // outlives the loop over its items
  for (const auto& [name, value] : parameters.items()) {
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

/// The members that say what a file is for.
JsonObject header_of(const Job& job) {
  JsonObject object;
  object.add("format", format)
      .add("sampler", job.sampler_name)
      .add("target", job.target_name)
      .add("dimension", job.parameters());
  return object;
}

/// Gives read(file) the file's object, once it is known to be of this job.
template <class Read>
auto read_file(const std::string& path, const Job& job, Read read) {
  std::ifstream stream(path);
  if (!stream) throw Error("cannot read tuning file " + path, std::strerror(errno), "check the name of the file");
  try {
    const Json file = Json::parse(stream);
    if (!file.is_object()) refuse(path, "it is no object", "a tuning is one");
    require_same(path, file, "format", format);
    require_same(path, file, "sampler", job.sampler_name);
    require_same(path, file, "target", job.target_name);
    require_same(path, file, "dimension", job.parameters());
    return read(file);
  } catch (const Json::exception& failure) {
    refuse(path, "it cannot be understood", failure.what());
  }
}

template <class Value, std::size_t size>
Value named(const std::string& path, const Json& entry, const char* what, const std::array<Value, size>& values) {
  const auto name = entry.at(what).get<std::string>();
  for (const Value value : values) {
    if (name_of(value) == name) return value;
  }
  refuse(path, std::string("its ") + what + " is '" + name + "'", "there is none of that name");
}

}  // namespace

std::string flow_text(const Job& job) {
  const breakstep::target::FlowShape& shape = job.flow.shape;
  JsonArray numbers;
  for (const double number : job.flow.parameters) numbers.add(json_number(number));
  return header_of(job)
             .raw("flow", JsonObject()
                              .add("kind", name_of(shape.kind))
                              .add("layers", shape.layers)
                              .add("hidden", shape.hidden)
                              .add("depth", shape.depth)
                              .add("bins", shape.bins)
                              .add("reach", shape.reach)
                              .add("layer_norm", shape.layer_norm)
                              .add("activation", name_of(shape.activation))
                              .raw("numbers", numbers.close())
                              .close())
             .close() +
         "\n";
}

breakstep::target::FlowNumbers read_flow(const std::string& path, const Job& job) {
  using breakstep::target::Activation;
  using breakstep::target::FlowKind;
  return read_file(path, job, [&](const Json& file) {
    const Json& entry = file.at("flow");
    breakstep::target::FlowNumbers flow;
    flow.shape = {
        .dimension = job.target->dimension(),
        .kind = named(path, entry, "kind",
                      std::array{FlowKind::shift_scale, FlowKind::affine, FlowKind::spline, FlowKind::affine_spline}),
        .layers = entry.at("layers").get<int>(),
        .hidden = entry.at("hidden").get<int>(),
        .depth = entry.at("depth").get<int>(),
        .bins = entry.at("bins").get<int>(),
        .reach = entry.at("reach").get<double>(),
        .layer_norm = entry.at("layer_norm").get<bool>(),
        .activation =
            named(path, entry, "activation", std::array{Activation::relu, Activation::tanh, Activation::silu})};
    flow.parameters = entry.at("numbers").get<std::vector<double>>();
    const std::size_t wanted = breakstep::target::FlowLayout(flow.shape).parameters();
    if (flow.parameters.size() != wanted) {
      refuse(path, "its flow has " + std::to_string(flow.parameters.size()) + " numbers",
             "one of this shape has " + std::to_string(wanted));
    }
    return flow;
  });
}

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
  return header_of(job).raw("tunings", entries.close()).close() + "\n";
}

std::vector<Tuning> read_tunings(const std::string& path, const Job& job) {
  return read_file(path, job, [&](const Json& file) {
    std::vector<Tuning> tunings;
    for (const Json& entry : file.at("tunings")) tunings.push_back(read_tuning(path, entry, job.parameters()));
    if (tunings.size() != 1 && tunings.size() != job.chains) {
      refuse(path, "it has tunings for " + std::to_string(tunings.size()) + " chains",
             "this job has " + std::to_string(job.chains));
    }
    return tunings;
  });
}

}  // namespace breakstep_app
