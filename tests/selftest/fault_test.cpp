#include "selftest/fault.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lockstep {
namespace {

TEST(Faults, NameHostPlaceAndOperation) {
  const Fault fault = parse_fault("node1:3:ReluOf5");
  EXPECT_TRUE(fault.hits("node1", "core 3", "ReluOf5"));
  EXPECT_FALSE(fault.hits("node2", "core 3", "ReluOf5"));
  EXPECT_FALSE(fault.hits("node1", "core 2", "ReluOf5"));
  EXPECT_FALSE(fault.hits("node1", "core 3", "ReluOf17"));
  EXPECT_TRUE(parse_fault("a:cuda:1:ReluOf5").hits("a", "cuda:1", "ReluOf5"));
  EXPECT_TRUE(parse_fault("a:rank 1:all-reduce shm").hits("a", "rank 1", "all-reduce shm"));
}

TEST(Faults, NoneIsTheDefault) { EXPECT_FALSE(parse_fault("").hits("", "", "")); }

TEST(Faults, OfWhichAPartIsMissingAreRefused) {
  for (const char* wrong : {"x", "a:1", ":1:ReluOf5", "a:1:"}) {
    EXPECT_THROW(parse_fault(wrong), UsageError) << wrong;
  }
}

TEST(Faults, AreTheSmallestChangeOfANumber) {
  float number = 1;
  flip_lowest_bit(number);
  EXPECT_NE(number, 1);
  EXPECT_NEAR(number, 1, 2e-7);
}

}  // namespace
}  // namespace lockstep
