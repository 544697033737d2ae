// The special functions under test; see Row in math_accuracy.hpp.
#include "math_accuracy.hpp"

namespace breakstep::test {

template <class T>
std::vector<Row<T>> special_rows() {
  return {};
}

template std::vector<Row<float>> special_rows();
template std::vector<Row<double>> special_rows();

}  // namespace breakstep::test
