// communicator_fixture.h: ranks of the kind under test, and numbers whose sums are known.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "support/ranks.h"

namespace lockstep {

class CommunicatorContract : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr int kRankCounts[] = {1, 2, 3, 4, 5, 8};
  static constexpr int kFewRankCounts[] = {2, 5};  // of what tests/comm tries with all

  void on_ranks(int ranks, const RankFunction& rank, const CommOptions& options = {}) {
    run_ranks(GetParam(), ranks, rank, options);
  }
  void on_all_sizes(const RankFunction& rank, const CommOptions& options = {}) {
    for (const int ranks : kRankCounts) on_ranks(ranks, rank, options);
  }
  void on_few_sizes(const RankFunction& rank, const CommOptions& options) {
    for (const int ranks : kFewRankCounts) on_ranks(ranks, rank, options);
  }
};

// Whole numbers: sums of them are exact in any order. They repeat, so a table gives them quickly.
inline constexpr int64_t kPeriod = 1024;
inline float whole(int rank, int64_t i) {
  return static_cast<float>((i * 7 + rank * 13) % kPeriod);
}

inline void fill_whole(std::span<float> data, int rank) {
  const int64_t first = std::min<int64_t>(kPeriod, std::ssize(data));
  for (int64_t i = 0; i < first; ++i) data[i] = whole(rank, i);
  for (int64_t i = first; i < std::ssize(data); i += first) {
    std::copy_n(data.begin(), std::min(first, std::ssize(data) - i), data.begin() + i);
  }
}

}  // namespace lockstep
