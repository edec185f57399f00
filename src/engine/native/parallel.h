// parallel.h: loops over the engine's threads. One OpenMP pool serves oneDNN and our own kernels;
// a second pool would fight it for the cores.
#pragma once

#include <cstdint>

namespace lockstep::native {

template <typename Body>
void parallel_for(int64_t count, const Body& body) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < count; ++i) body(i);
}

// The range [0, count) in pieces of at most `piece`: body(begin, end).
template <typename Body>
void parallel_pieces(int64_t count, int64_t piece, const Body& body) {
  parallel_for((count + piece - 1) / piece, [&](int64_t i) {
    body(i * piece, i * piece + piece < count ? i * piece + piece : count);
  });
}

}  // namespace lockstep::native
