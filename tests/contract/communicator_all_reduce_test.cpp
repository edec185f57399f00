// Sums over all ranks: right to the last bit, equal everywhere, whatever the memory, the algorithm
// and the size.
#include <cstring>

#include "base/random.h"
#include "comm/algorithms.h"
#include "comm/gather.h"
#include "contract/communicator_fixture.h"

namespace lockstep {
namespace {

#ifdef __SANITIZE_THREAD__  // which makes every access slow
constexpr int64_t kLargeCount = (1 << 20) - 5;
#else
constexpr int64_t kLargeCount = (16 << 20) - 5;
#endif

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

// Hosts with several ranks and with one (three ranks and one, if the kind has hosts), whose data
// may be shared or not: all must send the same pieces to each other.
TEST_P(CommunicatorContract, AllReduceTakesLargeBuffersOnHostsThatDiffer) {
  constexpr int64_t kSeveralPieces = (5 << 19) + 12345;
  on_ranks(4, [](Communicator& comm) {
    const Memory shared = comm.allocate(4 * kSeveralPieces);
    std::vector<float> plain(kSeveralPieces);
    for (const int with_plain : {-1, 1, 3}) {
      const bool mine = comm.rank() == with_plain;
      const std::span<float> data = mine ? std::span(plain) : shared.floats();
      fill_whole(data, comm.rank());
      comm.all_reduce(data);
      expect_whole_sums(data, comm.size());
    }
  });
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

}  // namespace
}  // namespace lockstep
