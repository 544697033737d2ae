// The command line of measure: --name value, in any order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace experiments {

class Arguments {
 public:
  /// Throws Error unless arguments come as --name value and every name is one of `known`.
  Arguments(int argc, char** argv, const std::vector<std::string>& known);

  [[nodiscard]] bool has(const std::string& name) const { return values_.count(name) > 0; }
  [[nodiscard]] std::string text(const std::string& name, const std::string& otherwise = "") const;
  [[nodiscard]] double number(const std::string& name, double otherwise) const;
  [[nodiscard]] std::uint64_t whole(const std::string& name, std::uint64_t otherwise) const;
  /// Values between commas.
  [[nodiscard]] std::vector<std::string> list(const std::string& name, const std::string& otherwise) const;
  [[nodiscard]] std::vector<std::uint64_t> wholes(const std::string& name, const std::string& otherwise) const;

 private:
  std::map<std::string, std::string> values_;
};

double to_number(const std::string& text);
std::uint64_t to_whole(const std::string& text);

}  // namespace experiments
