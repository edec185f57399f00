// l2.h: the L2 penalty that weight decay adds to the loss.
//
// An optimizer returns the sum of squares of what it wrote, so that only the first step has to
// read all values for it.
#pragma once

#include <span>

namespace lockstep {

// Of one parameter, in any layout whose padding is zero. The same for every number of threads.
double sum_of_squares(std::span<const float> values);

inline double l2_loss(double weight_decay, double sum_of_squares_of_all) {
  return weight_decay * 0.5 * sum_of_squares_of_all;
}

}  // namespace lockstep
