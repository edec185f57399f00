#include "base/error.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(Error, FormatsItsMessage) { EXPECT_STREQ(Error("{} of {}", 3, "four").what(), "3 of four"); }

TEST(Error, LeavesBracesOfAFinishedMessageAlone) {
  EXPECT_STREQ(Error(std::string("no {} here")).what(), "no {} here");
}

TEST(Error, AUsageErrorIsAnErrorToo) {
  EXPECT_THROW(throw UsageError("--batch must be positive"), Error);
}

}  // namespace
}  // namespace lockstep
