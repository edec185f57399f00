#include "sweep/launch_failure.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep {
namespace {

using Lines = std::vector<std::string>;

TEST(Failure, TheComplaintIsFoundAmongOtherLines) {
  EXPECT_EQ(complaint_in(Lines{"10\timages/sec: 3", "lockstep: the disk is full", "more"}),
            "the disk is full");
  EXPECT_EQ(complaint_in(Lines{"1\timages/sec: 3"}), "");
  EXPECT_EQ(complaint_in(Lines{}), "");
}

// The others only lost whom they worked with.
TEST(Failure, OfSeveralProcessesTheFirstThatFailedIsBelieved) {
  EXPECT_EQ(complaint_in(Lines{"lockstep: rank 1 is gone", "[worker 1] lockstep: not enough memory",
                               "lockstep: worker 1 ended with exit code 1; the run was ended"}),
            "not enough memory");
  EXPECT_EQ(complaint_in(Lines{"lockstep: worker 1 died by signal 9; the run was ended"}),
            "worker 1 died by signal 9; the run was ended");
}

TEST(Failure, AFullDiskIsKnownByItsError) {
  EXPECT_TRUE(is_full_disk("cannot write r.json: No space left on device"));
  EXPECT_TRUE(is_full_disk("cannot write r.json: Disk quota exceeded"));
  EXPECT_FALSE(is_full_disk("cannot write r.json: Permission denied"));
}

}  // namespace
}  // namespace lockstep
