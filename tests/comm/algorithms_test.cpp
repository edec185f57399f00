// All-reduce by messages, with every number of ranks up to eight.
#include "comm/algorithms.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/random.h"
#include "comm/compressed.h"
#include "comm/gather.h"
#include "support/ranks.h"

namespace lockstep {
namespace {

std::vector<float> fractions(int rank, int64_t count) {
  std::vector<float> data(count);
  fill_truncated_normal(data, RandomStream(1, static_cast<uint64_t>(rank)), 0, 1);
  return data;
}

std::vector<double> exact_sums(int ranks, int64_t count) {
  std::vector<double> sums(count);
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<float> theirs = fractions(rank, count);
    for (int64_t i = 0; i < count; ++i) sums[i] += theirs[i];
  }
  return sums;
}

void expect_equal_on_all_ranks(Communicator& comm, std::span<const float> data) {
  const std::string mine(reinterpret_cast<const char*>(data.data()), data.size_bytes());
  for (const std::string& theirs : all_gather(comm, mine)) EXPECT_TRUE(theirs == mine);
}

// All ranks near the exact sum, with the same bits, and again with the same bits.
void expect_sums(Communicator& comm, int64_t count, double tolerance) {
  std::vector<float> data = fractions(comm.rank(), count), again = data;
  comm.all_reduce(data);
  comm.all_reduce(again);
  EXPECT_TRUE(data == again);
  expect_equal_on_all_ranks(comm, data);
  const std::vector<double> exact = exact_sums(comm.size(), count);
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_NEAR(data[i], exact[i], tolerance) << i << " of " << count;
  }
}

class Algorithms : public ::testing::TestWithParam<std::string> {};

TEST_P(Algorithms, GiveTheSumForAnyNumberOfRanksAndShards) {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (const int shards : {1, 3}) {
      run_ranks("local", ranks,
                [](Communicator& comm) {
                  for (const int64_t count : {0, 1, 5, 37, 1003, 20011})
                    expect_sums(comm, count, 1e-5);
                },
                {.rules = {{.algorithm = GetParam(), .shards = shards}}});
    }
  }
}

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const AllReduceAlgorithm& row : all_reduce_algorithms()) names.emplace_back(row.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, Algorithms, ::testing::ValuesIn(algorithm_names()),
                         [](const auto& test) { return test.param; });

// Each contribution and the result lose half a unit in the last place: of 11 bits, or of 8.
TEST(Compression, RoundsOnceOnTheWayThereAndOnceBack) {
  struct Case {
    Compression compression;
    double last_place;
  };
  for (const Case& c : {Case{Compression::Fp16, 0x1p-11}, Case{Compression::Bf16, 0x1p-8}}) {
    for (int ranks = 1; ranks <= 8; ++ranks) {
      const double tolerance = c.last_place * (2.0 * ranks + 2.0 * ranks);
      run_ranks("local", ranks,
                [&](Communicator& comm) {
                  for (const int64_t count : {0, 1, 33, 5003}) expect_sums(comm, count, tolerance);
                },
                {.compression = c.compression});
    }
  }
}

TEST(Compression, KeepsSmallWholeNumbers) {
  run_ranks("local", 4,
            [](Communicator& comm) {
              std::vector<float> data(1000);
              for (int i = 0; i < 1000; ++i) data[i] = static_cast<float>((i + comm.rank()) % 8);
              comm.all_reduce(data);
              for (int i = 0; i < 1000; ++i) {
                float sum = 0;
                for (int rank = 0; rank < 4; ++rank) sum += static_cast<float>((i + rank) % 8);
                ASSERT_EQ(data[i], sum);
              }
            },
            {.compression = Compression::Fp16});
}

TEST(Compression, OfAnUnknownNameIsAnError) {
  EXPECT_EQ(parse_compression("bf16"), Compression::Bf16);
  EXPECT_THROW(parse_compression("fp8"), UsageError);
}

}  // namespace
}  // namespace lockstep
