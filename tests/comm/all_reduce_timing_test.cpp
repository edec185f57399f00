#include "comm/all_reduce_timing.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "comm/forwarding.h"
#include "comm/local.h"
#include "support/ranks.h"

namespace lockstep {
namespace {

// One number is wrong, on one rank.
class Faulty : public ForwardingCommunicator {
 public:
  using ForwardingCommunicator::ForwardingCommunicator;
  void all_reduce(std::span<float> data) override {
    inner().all_reduce(data);
    if (rank() == 1 && data.size() > 7) data[7] += 1;
  }
};

// A communicator that sums right and one that does not, on every rank.
void beside_a_faulty_one(int ranks, const std::function<void(Communicator&, Communicator&)>& rank) {
  auto right = make_local(ranks, Seconds{60}), wrong = make_local(ranks, Seconds{60});
  std::vector<std::jthread> threads;
  for (int i = 0; i < ranks; ++i) {
    threads.emplace_back([&, i] {
      Faulty faulty(std::move(wrong[i]));
      rank(*right[i], faulty);
    });
  }
}

constexpr int64_t kBytes = 400000;

class AllReduceTiming : public ::testing::TestWithParam<std::string> {};

TEST_P(AllReduceTiming, GivesEveryIterationOnRankZeroAndFindsNothingWrong) {
  for (const int ranks : {1, 2, 3, 8}) {
    run_ranks(GetParam(), ranks, [](Communicator& comm) {
      const Memory memory = comm.allocate(kBytes);
      const TimedCommunicator timed[] = {{comm, memory.floats()}};
      for (const int64_t floats : {1, 1000, 99999}) {
        const auto times = time_all_reduce(
            timed, {.message_floats = {floats}, .warm_up = 1, .iterations = 7, .check = true});
        ASSERT_EQ(times.size(), 1u);
        EXPECT_EQ(times[0].wrong, 0);
        EXPECT_EQ(times[0].seconds.size(), comm.rank() == 0 ? 7u : 0u);
        for (const double seconds : times[0].seconds) EXPECT_GT(seconds, 0);
      }
    });
  }
}

TEST_P(AllReduceTiming, SumsAreExactInSixteenBitsToo) {
  for (const Compression compression : {Compression::Fp16, Compression::Bf16}) {
    run_ranks(GetParam(), 5,
              [](Communicator& comm) {
                const Memory memory = comm.allocate(kBytes);
                const TimedCommunicator timed[] = {{comm, memory.floats()}};
                const auto times =
                    time_all_reduce(timed, {.message_floats = {50000}, .iterations = 1});
                EXPECT_EQ(times[0].wrong, 0);
              },
              {.compression = compression});
  }
}

INSTANTIATE_TEST_SUITE_P(All, AllReduceTiming, ::testing::Values("local", "shm"),
                         [](const auto& test) { return test.param; });

TEST(AllReduceCheck, CountsEveryWrongNumberOfEveryMessage) {
  beside_a_faulty_one(3, [](Communicator&, Communicator& faulty) {
    const Memory memory = faulty.allocate(kBytes);
    const TimedCommunicator timed[] = {{faulty, memory.floats()}};
    const auto times =
        time_all_reduce(timed, {.message_floats = {100, 3, 2000}, .warm_up = 0, .iterations = 1});
    EXPECT_EQ(times[0].wrong, faulty.rank() == 0 ? 2 : 0);
  });
}

TEST(AllReduceCheck, TellsARightCommunicatorFromAWrongOneBesideIt) {
  beside_a_faulty_one(2, [](Communicator& right, Communicator& faulty) {
    const Memory memory = right.allocate(kBytes);
    const TimedCommunicator timed[] = {{right, memory.floats()}, {faulty, memory.floats()}};
    const auto times = time_all_reduce(timed, {.message_floats = {1000}, .iterations = 12});
    if (right.rank() != 0) return;
    EXPECT_EQ(times[0].wrong, 0);
    EXPECT_EQ(times[1].wrong, 1);
    EXPECT_EQ(times[1].seconds.size(), 12u);
  });
}

TEST(BusBandwidth, IsTheShareThatALinkOfARingCarries) {
  EXPECT_DOUBLE_EQ(bus_bandwidth(1e9, 2), 1e9);
  EXPECT_DOUBLE_EQ(bus_bandwidth(1e9, 4), 1.5e9);
  EXPECT_DOUBLE_EQ(bus_bandwidth(1e9, 1), 0);
}

}  // namespace
}  // namespace lockstep
