// chunk.h: a span cut into parts of nearly equal size, one per rank.
//
// Parts begin on multiples of a cache line, so two ranks never write to the same line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace lockstep {

constexpr int64_t kFloatsPerLine = 16;

struct ChunkRange {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
};

inline ChunkRange chunk_range(int64_t count, int index, int parts) {
  const int64_t lines = (count + kFloatsPerLine - 1) / kFloatsPerLine;
  const auto edge = [&](int64_t i) { return std::min(count, lines * i / parts * kFloatsPerLine); };
  return {edge(index), edge(index + 1)};
}

// The chunks [first, last) as one span.
inline std::span<float> chunks(std::span<float> data, int first, int last, int parts) {
  const int64_t begin = chunk_range(std::ssize(data), first, parts).begin;
  const int64_t end =
      last == parts ? std::ssize(data) : chunk_range(std::ssize(data), last, parts).begin;
  return data.subspan(begin, end - begin);
}

inline std::span<float> chunk(std::span<float> data, int index, int parts) {
  return chunks(data, index, index + 1, parts);
}

inline int wrap(int index, int size) { return (index % size + size) % size; }

}  // namespace lockstep
