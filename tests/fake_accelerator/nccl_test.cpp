// NCCL between ranks as threads, on streams of the fake: what it computes, and how ranks end when
// one of them fails. Sums of whole numbers are exact; that all sums have the same bits in every
// repetition is nothing that NCCL promises.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/error.h"
#include "comm/nccl/nccl_table.h"
#include "fake_accelerator/fake_row.h"
#include "fake_accelerator/nccl_threads.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

void expect_success(const std::vector<std::string>& errors) {
  for (size_t rank = 0; rank < errors.size(); ++rank) EXPECT_EQ(errors[rank], "") << rank;
}

// As the engine waits for its device. Where nothing ends the wait, nothing ends the kernel either.
void wait_for(FakeRow& device, DeviceCommunicator& comm) {
  constexpr Seconds kMost{40};
  const TimePoint begin = Clock::now();
  while (!device.idle()) {
    const Seconds waited = seconds_since(begin);
    if (waited > kMost) {
      ADD_FAILURE() << "nothing has ended this wait";
      std::_Exit(EXIT_FAILURE);
    }
    comm.check(waited);
    std::this_thread::yield();
  }
  comm.check(Seconds{0});
}

std::vector<float> whole_numbers(int rank, int64_t count) {
  std::vector<float> numbers(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) numbers[i] = static_cast<float>((i * 7 + rank * 13) % 1024);
  return numbers;
}

TEST(Nccl, AllReduceLeavesTheSumOnEveryDevice) {
  for (const int ranks : {1, 2, 4}) {
    for (const int64_t count : {1, 1000, 200000}) {
      expect_success(run_nccl_ranks(ranks, [&](DeviceCommunicator& comm) {
        FakeRow device(comm.rank(), count);
        std::vector<float> expected(static_cast<size_t>(count));
        for (int rank = 0; rank < ranks; ++rank) {
          const std::vector<float> part = whole_numbers(rank, count);
          for (int64_t i = 0; i < count; ++i) expected[i] += part[i];
        }
        for (int repetition = 0; repetition < 3; ++repetition) {
          device.write(whole_numbers(comm.rank(), count));
          comm.all_reduce(device.row(), device.stream());
          EXPECT_EQ(device.read(), expected);
        }
      }));
    }
  }
}

TEST(Nccl, BroadcastLeavesTheRootsValuesOnEveryDevice) {
  expect_success(run_nccl_ranks(3, [](DeviceCommunicator& comm) {
    for (int root = 0; root < comm.size(); ++root) {
      FakeRow device(comm.rank(), 1000);
      device.write(whole_numbers(comm.rank(), 1000));
      comm.broadcast(device.row(), root, device.stream());
      EXPECT_EQ(device.read(), whole_numbers(root, 1000));
    }
  }));
}

TEST(Nccl, CollectivesOnlyQueueAndUseAPartOfARow) {
  expect_success(run_nccl_ranks(2, [](DeviceCommunicator& comm) {
    FakeRow device(comm.rank(), 100);
    device.write(std::vector<float>(100, 1));
    comm.all_reduce(device.row().part(10, 20), device.stream());
    comm.all_reduce(device.row().part(20, 20), device.stream());
    std::vector<float> expected(100, 1);
    for (int i = 10; i < 40; ++i) expected[i] = i >= 20 && i < 30 ? 4 : 2;
    EXPECT_EQ(device.read(), expected);
  }));
}

class NcclFault : public ::testing::Test {
 protected:
  ~NcclFault() override { unsetenv("FAKE_NCCL_FAULT"); }

  // Rank 1 of three fails in its third collective.
  std::vector<std::string> run_with(const char* kind, Seconds stall) {
    setenv("FAKE_NCCL_FAULT", fmt::format("1:2:{}", kind).c_str(), 1);
    return run_nccl_ranks(
        3,
        [](DeviceCommunicator& comm) {
          FakeRow device(comm.rank(), 1000);
          for (int step = 0; step < 5; ++step) {
            device.write(whole_numbers(comm.rank(), 1000));
            comm.all_reduce(device.row(), device.stream());
            wait_for(device, comm);
          }
        },
        stall);
  }
};

TEST_F(NcclFault, AnErrorOfOneRankEndsAll) {
  const std::vector<std::string> errors = run_with("error", Seconds{60});
  EXPECT_THAT(errors[1], HasSubstr("NCCL failed: internal error"));
  for (const size_t rank : {0, 2}) EXPECT_THAT(errors[rank], HasSubstr("NCCL failed: remote"));
}

TEST_F(NcclFault, ARankThatHangsEndsAllAfterTheStallTimeout) {
  for (const std::string& error : run_with("hang", Seconds{2})) {
    EXPECT_THAT(error, HasSubstr("NCCL failed: "));
  }
}

TEST_F(NcclFault, ARankThatLeavesIsNamed) {
  const std::vector<std::string> errors = run_nccl_ranks(
      3,
      [](DeviceCommunicator& comm) {
        FakeRow device(comm.rank(), 1000);
        for (int step = 0; step < 5; ++step) {
          if (comm.rank() == 1 && step == 3) throw Error("out of luck");
          device.write(whole_numbers(comm.rank(), 1000));
          comm.all_reduce(device.row(), device.stream());
          wait_for(device, comm);
        }
      },
      Seconds{30});
  EXPECT_EQ(errors[1], "out of luck");
  for (const size_t rank : {0, 2}) {
    EXPECT_THAT(errors[rank], AllOf(HasSubstr("NCCL failed: "), HasSubstr("rank 1 (host)")));
  }
}

// Within a time in which nothing that is aborted goes on. One that goes on can never be freed.
bool ends(std::unique_ptr<FakeRow>& device) {
  constexpr Seconds kMost{20};
  const TimePoint begin = Clock::now();
  while (!device->idle()) {
    if (seconds_since(begin) > kMost) return static_cast<void>(device.release()), false;
    std::this_thread::yield();
  }
  return true;
}

TEST_F(NcclFault, ACallThatFailsIsNamed) {
  const std::vector<std::string> errors = run_with("refuse", Seconds{60});
  EXPECT_THAT(errors[1], HasSubstr("NCCL failed: ncclAllReduce: internal error"));
}

TEST_F(NcclFault, AFailureEndsWhatIsQueued) {
  setenv("FAKE_NCCL_FAULT", "1:0:hang", 1);
  expect_success(run_nccl_ranks(
      2,
      [](DeviceCommunicator& comm) {
        auto device = std::make_unique<FakeRow>(comm.rank(), 1000);
        comm.all_reduce(device->row(), device->stream());
        EXPECT_THROW(wait_for(*device, comm), Error);
        EXPECT_TRUE(ends(device));
      },
      Seconds{2}));
}

TEST(Nccl, TheEndOfACommunicatorEndsWhatIsQueued) {
  expect_success(run_with_stores(2, Seconds{60}, [](const Roster& roster, Store& store) {
    auto device = std::make_unique<FakeRow>(roster.rank, 1000);
    auto comm = make_nccl(roster, {.stall_timeout = Seconds{60}}, store);
    if (roster.rank == 0) comm->all_reduce(device->row(), device->stream());
    comm.reset();
    EXPECT_TRUE(ends(device));
  }));
}

// As when a host is gone: NCCL has not been told.
TEST(Nccl, ARankThatIsGoneIsNamedBeforeTheStallTimeout) {
  constexpr Seconds kStall{16};
  std::unique_ptr<DeviceCommunicator> never_aborted;
  const std::vector<std::string> errors =
      run_with_stores(2, kStall, [&](const Roster& roster, Store& store) {
        auto comm = make_nccl(roster, {.stall_timeout = kStall}, store);
        if (roster.rank == 1) return static_cast<void>(never_aborted = std::move(comm));
        FakeRow device(0, 1000);
        const std::unique_ptr<DeviceCommunicator> first_to_go = std::move(comm);
        first_to_go->all_reduce(device.row(), device.stream());
        wait_for(device, *first_to_go);
      });
  EXPECT_THAT(errors[0], AllOf(HasSubstr("NCCL failed: no answer"), HasSubstr("rank 1")));
}

TEST(Nccl, ARankThatDoesNotConnectEndsTheOthers) {
  const std::vector<std::string> errors =
      run_with_stores(3, Seconds{2}, [](const Roster& roster, Store& store) {
        if (roster.rank != 1) make_nccl(roster, {.stall_timeout = Seconds{2}}, store);
      });
  EXPECT_EQ(errors[1], "");
  for (const size_t rank : {0, 2}) EXPECT_NE(errors[rank], "");
}

// Ends after a while also when nobody notices.
void make_every_call() {
  constexpr unsigned kMostSeconds = 30;
  alarm(kMostSeconds);
  run_nccl_ranks(
      2,
      [](DeviceCommunicator& comm) {
        FakeRow device(comm.rank(), 1000);
        device.write(whole_numbers(comm.rank(), 1000));
        comm.broadcast(device.row(), 0, device.stream());
        wait_for(device, comm);
        comm.all_reduce(device.row(), device.stream());
        wait_for(device, comm);
      },
      Seconds{4});
}

TEST_F(NcclFault, ACallThatDoesNotReturnEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const auto& [fault, message] : {std::pair{"1:0:block", "a call does not return"},
                                       {"1:1:block", "a call does not return"},
                                       {"1:0:block_init", "connecting failed"},
                                       {"1:0:block_ask", "a call does not return"},
                                       {"1:0:block_abort", "a call does not return"}}) {
    SCOPED_TRACE(fault);
    setenv("FAKE_NCCL_FAULT", fault, 1);
    EXPECT_EXIT(make_every_call(), ::testing::ExitedWithCode(EXIT_FAILURE), message);
  }
}

TEST(NcclTable, SaysWhichVersionIsLoaded) { EXPECT_EQ(nccl::version(), "NCCL 2.28.0"); }

}  // namespace
}  // namespace lockstep
