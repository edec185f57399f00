// What every communicator keeps to, on every kind that the program links.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "base/random.h"
#include "base/text.h"
#include "base/time.h"
#include "comm/algorithms.h"
#include "comm/gather.h"
#include "support/ranks.h"

namespace lockstep {
namespace {

constexpr int kRankCounts[] = {1, 2, 3, 4, 5, 8};
#ifdef __SANITIZE_THREAD__  // which makes every access slow
constexpr int64_t kLargeCount = (1 << 20) - 5;
#else
constexpr int64_t kLargeCount = (16 << 20) - 5;
#endif
constexpr int kFewRankCounts[] = {2, 5};  // of what tests/comm tries with all

class CommunicatorContract : public ::testing::TestWithParam<std::string> {
 protected:
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
constexpr int64_t kPeriod = 1024;
float whole(int rank, int64_t i) { return static_cast<float>((i * 7 + rank * 13) % kPeriod); }

void fill_whole(std::span<float> data, int rank) {
  const int64_t first = std::min<int64_t>(kPeriod, std::ssize(data));
  for (int64_t i = 0; i < first; ++i) data[i] = whole(rank, i);
  for (int64_t i = first; i < std::ssize(data); i += first) {
    std::copy_n(data.begin(), std::min(first, std::ssize(data) - i), data.begin() + i);
  }
}

void expect_whole_sums(std::span<const float> data, int ranks) {
  std::vector<float> sums(kPeriod);
  for (int64_t i = 0; i < kPeriod; ++i) {
    for (int rank = 0; rank < ranks; ++rank) sums[i] += whole(rank, i);
  }
  for (int64_t i = 0; i < std::ssize(data); i += kPeriod) {
    const size_t count = std::min(kPeriod, std::ssize(data) - i);
    const bool equal = std::memcmp(&data[i], sums.data(), count * sizeof(float)) == 0;
    EXPECT_TRUE(equal) << "of " << data.size() << " numbers, some from number " << i << " on";
    if (!equal) return;
  }
}

// Fractions: their sum shows the order in which they were added.
std::vector<float> fractions(int rank, int64_t count) {
  std::vector<float> data(count);
  fill_truncated_normal(data, RandomStream(1, static_cast<uint64_t>(rank)), 0, 1);
  return data;
}

std::string bits(std::span<const float> data) {
  return {reinterpret_cast<const char*>(data.data()), data.size_bytes()};
}

void expect_equal_on_all_ranks(Communicator& comm, std::span<const float> data) {
  for (const std::string& theirs : all_gather(comm, bits(data))) {
    EXPECT_TRUE(theirs == bits(data)) << "ranks have different bits";
  }
}

TEST_P(CommunicatorContract, KnowsItsRankAndSize) {
  for (const int ranks : kRankCounts) {
    on_ranks(ranks, [&](Communicator& comm) {
      EXPECT_EQ(comm.size(), ranks);
      const auto names = all_gather(comm, std::to_string(comm.rank()));
      for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(names[rank], std::to_string(rank));
    });
  }
}

TEST_P(CommunicatorContract, AllReduceLeavesTheSumOnEveryRank) {
  on_all_sizes([](Communicator& comm) {
    for (const int64_t count : {0, 1, 2, 15, 17, 1000, 2048, 2049, 16384, 100003, 300001}) {
      std::vector<float> data(count);
      fill_whole(data, comm.rank());
      comm.all_reduce(data);
      expect_whole_sums(data, comm.size());
    }
  });
}

TEST_P(CommunicatorContract, AllReduceTakesLargeBuffers) {
  for (const int ranks : {2, 3}) {
    on_ranks(ranks, [](Communicator& comm) {
      std::vector<float> data(kLargeCount);
      fill_whole(data, comm.rank());
      comm.all_reduce(data);
      expect_whole_sums(data, comm.size());
    });
  }
}

TEST_P(CommunicatorContract, AllReduceWorksInPlaceInItsOwnMemory) {
  on_all_sizes([](Communicator& comm) {
    const Memory memory = comm.allocate(4 * 400000);
    const Memory other = comm.allocate(4 * 5000);
    for (const int64_t begin : {0, 16, 1001, 4096}) {
      for (const int64_t count : {1, 100, 4097, 300000}) {
        fill_whole(memory.floats(), 99);
        const auto part = memory.floats().subspan(begin, count);
        fill_whole(part, comm.rank());
        comm.all_reduce(part);
        expect_whole_sums(part, comm.size());
        EXPECT_EQ(memory.floats()[begin + count], whole(99, begin + count)) << "wrote beyond";
      }
    }
    fill_whole(other.floats(), comm.rank());
    comm.all_reduce(other.floats());
    expect_whole_sums(other.floats(), comm.size());
  });
}

TEST_P(CommunicatorContract, MemoryMayOutliveTheCommunicatorsUseOfItAndBeFreedBefore) {
  on_ranks(3, [](Communicator& comm) {
    for (int round = 0; round < 4; ++round) {
      const Memory memory = comm.allocate(4 * 10000);
      EXPECT_EQ(memory.floats()[9999], 0);
      fill_whole(memory.floats(), comm.rank());
      comm.all_reduce(memory.floats());
      expect_whole_sums(memory.floats(), comm.size());
    }
    std::vector<float> plain(10000);
    fill_whole(plain, comm.rank());
    comm.all_reduce(plain);
    expect_whole_sums(plain, comm.size());
  });
}

TEST_P(CommunicatorContract, RanksMayMixItsOwnMemoryWithPlain) {
  on_ranks(3, [](Communicator& comm) {
    const Memory shared = comm.allocate(4 * 70000);
    std::vector<float> plain(70000);
    const std::span<float> data = comm.rank() == 1 ? std::span(plain) : shared.floats();
    fill_whole(data, comm.rank());
    comm.all_reduce(data);
    expect_whole_sums(data, comm.size());
    comm.broadcast(data, 1);
    expect_whole_sums(data, comm.size());
  });
}

TEST_P(CommunicatorContract, SeveralBucketsInSequenceStayApart) {
  on_all_sizes([](Communicator& comm) {
    const Memory memory = comm.allocate(4 * 50000);
    std::vector<std::span<float>> buckets;
    for (int64_t begin = 0, count = 1; begin + count < 50000;
         begin += count, count = count * 3 + 1) {
      buckets.push_back(memory.floats().subspan(begin, count));
    }
    for (int step = 0; step < 5; ++step) {
      for (const auto bucket : buckets) fill_whole(bucket, comm.rank() + step);
      for (const auto bucket : buckets) comm.all_reduce(bucket);
      for (const auto bucket : buckets) {
        float sum = 0;
        for (int rank = 0; rank < comm.size(); ++rank) sum += whole(rank + step, 0);
        EXPECT_EQ(bucket[0], sum);
      }
    }
  });
}

TEST_P(CommunicatorContract, AllReduceGivesTheSameBitsEverywhereAndEveryTime) {
  on_all_sizes([](Communicator& comm) {
    for (const int64_t count : {7, 3001, 65003}) {
      std::vector<float> first = fractions(comm.rank(), count);
      comm.all_reduce(first);
      expect_equal_on_all_ranks(comm, first);
      for (int repeat = 0; repeat < 3; ++repeat) {
        std::vector<float> again = fractions(comm.rank(), count);
        comm.all_reduce(again);
        EXPECT_TRUE(bits(again) == bits(first));
      }
    }
  });
}

TEST_P(CommunicatorContract, BroadcastTakesTheRootsValuesEverywhere) {
  on_all_sizes([](Communicator& comm) {
    const Memory memory = comm.allocate(4 * 200001);
    for (int root = 0; root < comm.size(); ++root) {
      for (const int64_t count : {1, 50, 200001}) {
        std::vector<float> data(count);
        fill_whole(data, comm.rank());
        comm.broadcast(data, root);
        EXPECT_EQ(data.back(), whole(root, count - 1));
        fill_whole(memory.floats().first(count), comm.rank());
        comm.broadcast(memory.floats().first(count), root);
        EXPECT_EQ(memory.floats()[count / 2], whole(root, count / 2));
      }
    }
  });
}

// All ranks are on one machine and share its monotonic clock.
TEST_P(CommunicatorContract, NobodyLeavesABarrierBeforeAllHaveCome) {
  on_all_sizes([](Communicator& comm) {
    for (int round = 0; round < 10; ++round) {
      const int64_t came = Clock::now().time_since_epoch().count();
      comm.barrier();
      const int64_t left = Clock::now().time_since_epoch().count();
      for (const std::string& others : all_gather(comm, std::to_string(came))) {
        EXPECT_LE(*whole_number(others), left);
      }
    }
  });
}

TEST_P(CommunicatorContract, MessagesOfOneTagKeepTheirOrder) {
  on_ranks(2, [](Communicator& comm) {
    for (float expected = 0; expected < 50; ++expected) {
      float value = expected;
      if (comm.rank() == 0) comm.send({&value, 1}, 1, 5);
      if (comm.rank() == 1) comm.recv({&value, 1}, 0, 5);
      EXPECT_EQ(value, expected);
    }
  });
}

TEST_P(CommunicatorContract, AMessageWaitsUntilItsTagIsAskedFor) {
  on_ranks(3, [](Communicator& comm) {
    float value = static_cast<float>(comm.rank());
    if (comm.rank() > 0) return comm.send({&value, 1}, 0, 40 + comm.rank());
    for (const int from : {2, 1}) {
      EXPECT_EQ(comm.recv_any({&value, 1}, 40 + from), from);
      EXPECT_EQ(value, static_cast<float>(from));
    }
  });
}

TEST_P(CommunicatorContract, SendsMessagesOfAnySize) {
  on_ranks(2, [](Communicator& comm) {
    for (const int64_t count : {0, 1, 3, 65535, 65536, 1000003}) {
      std::vector<float> data(count);
      if (comm.rank() == 0) {
        fill_whole(data, 5);
        comm.send(data, 1, 9);
      } else {
        comm.recv(data, 0, 9);
        std::vector<float> expected(count);
        fill_whole(expected, 5);
        EXPECT_TRUE(data == expected) << count;
      }
    }
  });
}

TEST_P(CommunicatorContract, ExchangeGoesBothWaysAtOnceRoundARing) {
  on_all_sizes([](Communicator& comm) {
    if (comm.size() == 1) return;
    const int right = (comm.rank() + 1) % comm.size();
    const int left = (comm.rank() + comm.size() - 1) % comm.size();
    for (const int64_t count : {1, 1000, 300007}) {
      std::vector<float> out(count), in(count);
      fill_whole(out, comm.rank());
      comm.exchange({out, right, in, left, 4});
      EXPECT_EQ(in[count - 1], whole(left, count - 1));
      EXPECT_EQ(in[count / 2], whole(left, count / 2));
    }
    // Unequal sizes, one of them nothing.
    std::vector<float> out(comm.rank() % 2 ? 0 : 100, 1.0f), in(left % 2 ? 0 : 100);
    comm.exchange({out, right, in, left, 4});
    EXPECT_EQ(std::accumulate(in.begin(), in.end(), 0.0f), static_cast<float>(in.size()));
  });
}

TEST_P(CommunicatorContract, ReceivingFromAnyoneNamesTheSenderAndKeepsEachSendersOrder) {
  on_all_sizes([](Communicator& comm) {
    constexpr int kEach = 20;
    if (comm.rank() != 0) {
      for (int i = 0; i < kEach; ++i) {
        const float values[2] = {static_cast<float>(comm.rank()), static_cast<float>(i)};
        comm.send(values, 0, 7);
        float answer = -1;
        comm.recv({&answer, 1}, 0, 8);
        EXPECT_EQ(answer, static_cast<float>(i));
      }
      return;
    }
    std::map<int, int> next;
    for (int count = 0; count < kEach * (comm.size() - 1); ++count) {
      float values[2] = {-1, -1};
      const int from = comm.recv_any(values, 7);
      EXPECT_EQ(values[0], static_cast<float>(from));
      EXPECT_EQ(values[1], static_cast<float>(next[from]++));
      comm.send({&values[1], 1}, from, 8);
    }
  });
}

TEST_P(CommunicatorContract, AServerTakesLargePushesFromWhoeverComesFirst) {
  on_ranks(4, [](Communicator& comm) {
    constexpr int64_t kCount = 200000;
    std::vector<float> data(kCount);
    if (comm.rank() > 0) {
      fill_whole(data, comm.rank());
      const float header = static_cast<float>(kCount);
      comm.send({&header, 1}, 0, 1);
      comm.send(data, 0, 2);
      comm.recv(data, 0, 3);
      EXPECT_EQ(data[10], whole(1, 10) + whole(2, 10) + whole(3, 10));
      return;
    }
    std::vector<float> sum(kCount);
    for (int push = 0; push < 3; ++push) {
      float header = 0;
      const int from = comm.recv_any({&header, 1}, 1);
      EXPECT_EQ(header, static_cast<float>(kCount));
      comm.recv(data, from, 2);
      for (int64_t i = 0; i < kCount; ++i) sum[i] += data[i];
    }
    for (int to = 1; to < 4; ++to) comm.send(sum, to, 3);
  });
}

TEST_P(CommunicatorContract, GathersTextsOfDifferentLengths) {
  on_all_sizes([](Communicator& comm) {
    const std::string mine(static_cast<size_t>(comm.rank()) * 50000,
                           static_cast<char>('a' + comm.rank()));
    const auto all = all_gather(comm, mine);
    for (int rank = 0; rank < comm.size(); ++rank) {
      ASSERT_EQ(all[rank].size(), static_cast<size_t>(rank) * 50000);
      if (rank > 0) {
        EXPECT_EQ(all[rank].back(), static_cast<char>('a' + rank));
      }
    }
    const int root = comm.size() - 1;
    EXPECT_EQ(gather(comm, mine, root).size(), comm.rank() == root ? all.size() : 0u);
    EXPECT_EQ(broadcast_text(comm, mine, root), all[root]);
  });
}

TEST_P(CommunicatorContract, EveryAlgorithmGivesTheSumAndTheSameBitsEverywhere) {
  for (const AllReduceAlgorithm& algorithm : all_reduce_algorithms()) {
    SCOPED_TRACE(algorithm.name);
    on_few_sizes(
        [](Communicator& comm) {
          for (const int64_t count : {0, 5, 20011}) {
            std::vector<float> data(count);
            fill_whole(data, comm.rank());
            comm.all_reduce(data);
            expect_whole_sums(data, comm.size());
            std::vector<float> rough = fractions(comm.rank(), count);
            comm.all_reduce(rough);
            expect_equal_on_all_ranks(comm, rough);
          }
        },
        {.rules = {{.algorithm = std::string(algorithm.name), .shards = 2}}});
  }
}

TEST_P(CommunicatorContract, CompressionGivesTheSameBitsEverywhere) {
  for (const Compression compression : {Compression::Fp16, Compression::Bf16}) {
    on_few_sizes(
        [](Communicator& comm) {
          std::vector<float> rough = fractions(comm.rank(), 5003);
          comm.all_reduce(rough);
          expect_equal_on_all_ranks(comm, rough);
        },
        {.compression = compression});
  }
}

std::vector<std::string> runner_names() {
  std::vector<std::string> names;
  for (const RankRunner& runner : rank_runners()) names.push_back(runner.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, CommunicatorContract, ::testing::ValuesIn(runner_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace lockstep
