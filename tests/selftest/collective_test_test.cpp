#include "selftest/collective_test.h"

#include <gmock/gmock.h>

#include "support/ranks.h"

namespace lockstep {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(MarkedNumbers, SumToThemselvesOnEveryRank) {
  run_ranks("local", 3, [](Communicator& comm) {
    std::vector<float> data(1000);
    fill_marked(data, comm.rank(), comm.size());
    comm.all_reduce(data);
    EXPECT_THAT(wrong_by_sender(data, comm.size()), Each(0));
  });
}

TEST(MarkedNumbers, NameTheRankThatSentAWrongOne) {
  run_ranks("local", 3, [](Communicator& comm) {
    std::vector<float> data(1000);
    fill_marked(data, comm.rank(), comm.size());
    if (comm.rank() == 1) flip_lowest_bit(data[1]);
    comm.all_reduce(data);
    EXPECT_THAT(wrong_by_sender(data, comm.size()), ElementsAre(0, 1, 0));
  });
}

}  // namespace
}  // namespace lockstep
