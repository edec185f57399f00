#include "comm/local.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/ranks.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

// Errors of ranks that are threads: of both kinds that live without other libraries.
class ThreadRanks : public ::testing::TestWithParam<std::string> {
 protected:
  std::vector<std::string> errors(int ranks, const RankFunction& function, Seconds stall) {
    return find_rank_runner(GetParam()).run(ranks, {.stall_timeout = stall}, function);
  }
};

TEST_P(ThreadRanks, ARankThatLeavesEndsTheOthersWaitAndIsNamed) {
  const auto messages = errors(
      3,
      [](Communicator& comm) {
        if (comm.rank() != 1) comm.barrier();
      },
      Seconds{100});
  EXPECT_THAT(messages[0], HasSubstr("rank 1"));
  EXPECT_EQ(messages[1], "");
  EXPECT_THAT(messages[2], HasSubstr("rank 1"));
}

TEST_P(ThreadRanks, ASenderWhoLeftIsNamedByTheReceiver) {
  const auto messages = errors(
      2,
      [](Communicator& comm) {
        float value = 0;
        if (comm.rank() == 0) comm.recv({&value, 1}, 1, 0);
      },
      Seconds{100});
  EXPECT_THAT(messages[0], HasSubstr("rank 1"));
}

TEST_P(ThreadRanks, ReceivingFromAnyoneEndsWhenEveryoneLeft) {
  const auto messages = errors(
      3,
      [](Communicator& comm) {
        float value = 0;
        if (comm.rank() == 0) comm.recv_any({&value, 1}, 0);
      },
      Seconds{100});
  EXPECT_THAT(messages[0], HasSubstr("left"));
}

TEST_P(ThreadRanks, SilenceEndsAWaitAfterTheStallTimeOut) {
  std::atomic<int> stalled = 0;
  const auto messages = errors(
      2,
      [&](Communicator& comm) {
        if (comm.rank() == 1) {  // stays, and does nothing until the other gave up
          stalled.wait(0);
          return;
        }
        try {
          comm.barrier();
        } catch (const Error&) {
          stalled = 1;
          stalled.notify_all();
          throw;
        }
      },
      Seconds{0.2});
  EXPECT_THAT(messages[0], HasSubstr("rank 1"));
  EXPECT_THAT(messages[0], HasSubstr("0.2 s"));
}

TEST_P(ThreadRanks, UnequalSizesAreAnErrorOnAllRanks) {
  const auto messages = errors(
      2,
      [](Communicator& comm) {
        std::vector<float> data(comm.rank() == 0 ? 10 : 100000);
        comm.all_reduce(data);
      },
      Seconds{100});
  for (const std::string& message : messages) {
    EXPECT_THAT(message, HasSubstr("10"));
    EXPECT_THAT(message, HasSubstr("100000"));
  }
}

TEST_P(ThreadRanks, SmallMessagesDoNotWaitForTheirReceiverAndAreFoundByTag) {
  const auto messages = errors(
      2,
      [](Communicator& comm) {
        for (float value = 0; comm.rank() == 0 && value < 6; ++value) {
          comm.send({&value, 1}, 1, static_cast<int>(value) % 2);
        }
        comm.barrier();
        for (const float expected : {1.f, 3.f, 0.f, 2.f, 5.f, 4.f}) {
          float value = expected;
          if (comm.rank() == 1) comm.recv({&value, 1}, 0, static_cast<int>(expected) % 2);
          EXPECT_EQ(value, expected);
        }
      },
      Seconds{100});
  EXPECT_EQ(messages, (std::vector<std::string>{"", ""}));
}

INSTANTIATE_TEST_SUITE_P(All, ThreadRanks, ::testing::Values("local", "shm"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace lockstep
