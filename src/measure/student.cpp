#include "measure/student.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

// The series of Cornish and Fisher: within 1 % from three degrees of freedom on.
double by_series(double freedom) {
  const double z = 1.959963984540054;
  const double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * std::pow(freedom, 3));
}

// Below three the series fails. The logarithm of t is nearly a parabola in 1 / freedom; this one
// goes through the known values at 1, 2 and 3.
double by_parabola(double freedom) {
  const double x = 1 / freedom, a = 1, b = 1.0 / 2, c = 1.0 / 3;
  const double at_1 = std::log(12.70620474), at_2 = std::log(4.30265273),
               at_3 = std::log(3.18244631);
  return std::exp(at_1 * (x - b) * (x - c) / ((a - b) * (a - c)) +
                  at_2 * (x - a) * (x - c) / ((b - a) * (b - c)) +
                  at_3 * (x - a) * (x - b) / ((c - a) * (c - b)));
}

}  // namespace

double student_97_5(double freedom) {
  return freedom < 3 ? by_parabola(std::max(freedom, 1.0)) : by_series(freedom);
}

}  // namespace lockstep
