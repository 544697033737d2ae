// Arguments: --name value.
#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "breakstep/error.hpp"

namespace experiments {

using breakstep::Error;

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

}  // namespace

double to_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw Error("'" + text + "' cannot be used", "a number is needed", "write it like 1.5 or 2e-3");
  }
  return value;
}

std::uint64_t to_whole(const std::string& text) {
  const double value = to_number(text);
  if (value < 0 || value != std::floor(value) || value > 1e15) {
    throw Error("'" + text + "' cannot be used", "a whole number is needed", "write it like 1000 or 1e3");
  }
  return static_cast<std::uint64_t>(value);
}

Arguments::Arguments(int argc, char** argv, const std::vector<std::string>& known) {
  for (int i = 0; i < argc; i += 2) {
    const std::string name = argv[i];
    const bool is_known =
        name.starts_with("--") && std::find(known.begin(), known.end(), name.substr(2)) != known.end();
    if (!is_known || i + 1 == argc) {
      throw Error("argument '" + name + "' cannot be used", is_known ? "its value is missing" : "there is none such",
                  "see the head of experiments/measure/main.cpp");
    }
    values_[name.substr(2)] = argv[i + 1];
  }
}

std::string Arguments::text(const std::string& name, const std::string& otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : found->second;
}

double Arguments::number(const std::string& name, double otherwise) const {
  return has(name) ? to_number(text(name)) : otherwise;
}

std::uint64_t Arguments::whole(const std::string& name, std::uint64_t otherwise) const {
  return has(name) ? to_whole(text(name)) : otherwise;
}

std::vector<std::string> Arguments::list(const std::string& name, const std::string& otherwise) const {
  return split(text(name, otherwise));
}

std::vector<std::uint64_t> Arguments::wholes(const std::string& name, const std::string& otherwise) const {
  std::vector<std::uint64_t> numbers;
  for (const std::string& part : list(name, otherwise)) numbers.push_back(to_whole(part));
  return numbers;
}

}  // namespace experiments
