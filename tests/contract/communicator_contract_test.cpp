// What every communicator keeps to, on every kind that the program links. All-reduce and messages
// have files of their own.
#include "base/text.h"
#include "base/time.h"
#include "comm/gather.h"
#include "contract/communicator_fixture.h"

namespace lockstep {
namespace {

TEST_P(CommunicatorContract, KnowsItsRankAndSize) {
  for (const int ranks : kRankCounts) {
    on_ranks(ranks, [&](Communicator& comm) {
      EXPECT_EQ(comm.size(), ranks);
      const auto names = all_gather(comm, std::to_string(comm.rank()));
      for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(names[rank], std::to_string(rank));
    });
  }
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

std::vector<std::string> runner_names() {
  std::vector<std::string> names;
  for (const RankRunner& runner : rank_runners()) names.push_back(runner.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, CommunicatorContract, ::testing::ValuesIn(runner_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace lockstep
