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
        std::vector<float> data(count), of_root(count);
        fill_whole(of_root, root);
        fill_whole(data, comm.rank());
        comm.broadcast(data, root);
        EXPECT_TRUE(std::ranges::equal(data, of_root)) << count << " from " << root;
        const std::span<float> allocated = memory.floats().first(count);
        fill_whole(allocated, comm.rank());
        comm.broadcast(allocated, root);
        EXPECT_TRUE(std::ranges::equal(allocated, of_root)) << count << " from " << root;
      }
    }
  });
}

// All ranks are on one machine and share its monotonic clock.
TEST_P(CommunicatorContract, NoRankLeavesABarrierBeforeAllHaveArrived) {
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
    std::vector<std::string> texts;
    for (int rank = 0; rank < comm.size(); ++rank) {
      texts.emplace_back(static_cast<size_t>(rank) * 50000, static_cast<char>('a' + rank));
    }
    const std::string& mine = texts[comm.rank()];
    const int root = comm.size() - 1;
    EXPECT_TRUE(all_gather(comm, mine) == texts);  // too long to print
    EXPECT_TRUE(gather(comm, mine, root) ==
                (comm.rank() == root ? texts : std::vector<std::string>{}));
    EXPECT_TRUE(broadcast_text(comm, mine, root) == texts[root]);
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
