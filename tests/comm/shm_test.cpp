#include "comm/shm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "comm/shared_block.h"
#include "support/ranks.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

TEST(SharedBlock, IsOneMemoryForAllWhoMapIt) {
  SharedBlock mine(10000);
  const SharedBlock theirs(mine.handle());
  mine.data()[9999] = std::byte{7};
  EXPECT_EQ(theirs.data()[9999], std::byte{7});
  EXPECT_NE(theirs.data(), mine.data());
}

TEST(SharedBlock, CannotBeOpenedOnceSealed) {
  SharedBlock mine(4096);
  const SharedHandle handle = mine.handle();
  mine.seal();
  EXPECT_THROW(SharedBlock{handle}, Error);
}

TEST(Shm, MemoryIsReadableAfterTheCommunicatorIsGone) {
  std::vector<Memory> kept(2);
  run_ranks("shm", 2, [&](Communicator& comm) {
    kept[comm.rank()] = comm.allocate(4000);
    kept[comm.rank()].floats()[999] = 1;
    comm.all_reduce(kept[comm.rank()].floats());
  });
  EXPECT_EQ(kept[0].floats()[999], 2);
  EXPECT_EQ(kept[1].floats()[999], 2);
}

TEST(Shm, UnequalAllocationsAreAnErrorOnAllRanks) {
  const auto messages = find_rank_runner("shm").run(
      2, {}, [](Communicator& comm) { comm.allocate(1000 + comm.rank()); });
  EXPECT_THAT(messages[0], HasSubstr("1001"));
  EXPECT_THAT(messages[1], HasSubstr("1000"));
}

// What forwarding does shows in the result of every rank: here each element is doubled on its way.
void expect_forwarded(ShmCommunicator& comm, std::span<float> data) {
  for (int64_t i = 0; i < std::ssize(data); ++i) {
    data[i] = static_cast<float>(i % 1000 + comm.rank());
  }
  int64_t forwarded = 0;
  comm.all_reduce_through(data, [&](std::span<float> sum) {
    forwarded += std::ssize(sum);
    for (float& value : sum) value *= 2;
  });
  EXPECT_EQ(forwarded, comm.rank() == 0 ? std::ssize(data) : 0);
  const int ranks = comm.size();
  int64_t wrong = 0;
  for (int64_t i = 0; i < std::ssize(data); ++i) {
    wrong += data[i] != static_cast<float>(2 * (i % 1000 * ranks + ranks * (ranks - 1) / 2));
  }
  EXPECT_EQ(wrong, 0) << data.size() << " numbers, rank " << comm.rank() << " of " << ranks;
}

TEST(Shm, WhatGoesThroughTheFirstRankIsEverybodysSum) {
  for (const int ranks : {1, 2, 3}) {
    run_ranks("shm", ranks, [&](Communicator& comm) {
      auto& shm = dynamic_cast<ShmCommunicator&>(comm);
      const Memory memory = comm.allocate(4 * 9'000'001);
      std::vector<float> plain(200'001);
      for (const int64_t count : {0, 1, 2000, 70'001, 2'500'003, 9'000'001}) {
        expect_forwarded(shm, memory.floats().first(count));
      }
      expect_forwarded(shm, plain);
    });
  }
}

}  // namespace
}  // namespace lockstep
