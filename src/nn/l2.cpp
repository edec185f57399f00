#include "nn/l2.h"

#include <vector>

#include "nn/chunks.h"

namespace lockstep {

double sum_of_squares(std::span<const float> values) {
  std::vector<double> partial(chunks_in(std::ssize(values)));
  return sum_over_chunks(std::ssize(values), partial, [&](int64_t begin, int64_t count) {
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (int64_t i = begin; i < begin + count; ++i) squares += values[i] * values[i];
    return static_cast<double>(squares);
  });
}

}  // namespace lockstep
