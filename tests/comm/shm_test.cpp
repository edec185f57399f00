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

}  // namespace
}  // namespace lockstep
