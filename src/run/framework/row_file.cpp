#include "run/framework/row_file.h"

#include <cmath>

#include "nn/l2.h"

namespace lockstep {

std::vector<float> RowFile::next(int64_t size) {
  std::vector<float> row(static_cast<size_t>(size));
  file_.read(reinterpret_cast<char*>(row.data()), std::ssize(row) * std::streamsize{sizeof(float)});
  return row;
}

double distance_between(std::span<const float> a, std::span<const float> b) {
  double squares = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double delta = static_cast<double>(b[i]) - a[i];
    squares += delta * delta;
  }
  return std::sqrt(squares);
}

double length_of(std::span<const float> row) { return std::sqrt(sum_of_squares(row)); }

}  // namespace lockstep
