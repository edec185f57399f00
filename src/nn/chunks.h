// chunks.h: cuts a long row of floats into pieces of fixed length and shares them among threads.
//
// A sum of floats depends on the order of additions. Here each piece is summed by itself and the
// pieces are added in order, so the result does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace lockstep {

inline constexpr int64_t kChunkFloats = 8192;  // a few rows of them fit in a core's own cache

inline int64_t chunks_in(int64_t floats) { return (floats + kChunkFloats - 1) / kChunkFloats; }

// Calls work(begin, count), which returns a number, for every chunk; returns the sum. `partial`:
// room for chunks_in(floats) numbers.
template <typename Work>
double sum_over_chunks(int64_t floats, std::span<double> partial, const Work& work) {
  const int64_t chunks = chunks_in(floats);
#pragma omp parallel for schedule(static) if (chunks > 4)
  for (int64_t i = 0; i < chunks; ++i) {
    const int64_t begin = i * kChunkFloats;
    partial[i] = work(begin, std::min(kChunkFloats, floats - begin));
  }
  double sum = 0;
  for (int64_t i = 0; i < chunks; ++i) sum += partial[i];
  return sum;
}

}  // namespace lockstep
