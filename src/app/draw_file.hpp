// Writes draws as a NumPy file (.npy, version 1.0), whole or not at all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace breakstep_app {

/// What precedes the numbers of an array of this shape in C order; `descr` is NumPy's name of their type, such as <f8.
std::string npy_header(std::string_view descr, const std::vector<std::size_t>& shape);

/// A file that is going to be written. Constructed before the draws are made, it throws an Error then if the file
/// exists and may not be replaced, or could never be written; so no one waits for draws that cannot be kept.
class DrawFile {
 public:
  DrawFile(std::string path, bool may_replace, double bytes);

  /// Writes header and numbers to a temporary neighbour, waits until the disk has them, and gives it the file's name.
  /// Devices and pipes are written to directly. On failure, or if the program is interrupted, the neighbour is removed.
  void write(std::string_view header, std::string_view numbers) const;

  /// Values as chains × draws × parameters.
  template <class Real>
  void write(const std::vector<Real>& values, const std::vector<std::size_t>& shape) const {
    write(npy_header(sizeof(Real) == 4 ? "<f4" : "<f8", shape),
          {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Real)});
  }

 private:
  std::string path_;
  bool may_replace_;
};

}  // namespace breakstep_app
