#include "selftest/test_row.h"

#include <gmock/gmock.h>

#include "config/json.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TestRow wrong(int results) {
  TestRow row = {.check = "operations avx2", .host = "node1", .where = "cores 0-3"};
  row.result = TestResult::Fail;
  for (int i = 0; i < results; ++i) {
    row.mismatches.push_back({"node1", "core 2", "ReluOf" + std::to_string(i), "other bits"});
  }
  return row;
}

TEST(TestRows, NameHostCoreAndOperationOfAWrongResult) {
  const TestRow rows[] = {wrong(1)};
  EXPECT_THAT(rows_text(rows), AllOf(HasSubstr("FAIL"), HasSubstr("core 2"), HasSubstr("ReluOf0")));
  EXPECT_EQ(failure_text(rows), "1 check failed: node1 core 2 ReluOf0");
  EXPECT_TRUE(failed(rows));
}

TEST(TestRows, ShowTheFirstOfManyWrongResults) {
  const TestRow rows[] = {wrong(7)};
  EXPECT_THAT(rows_text(rows), AllOf(HasSubstr("ReluOf4"), Not(HasSubstr("ReluOf5")),
                                     HasSubstr("and 2 more (--json lists all)")));
  EXPECT_THAT(failure_text(rows), HasSubstr("node1 core 2 ReluOf0 and 6 more"));
}

TEST(TestRows, AMeasurementNeitherPassesNorFails) {
  const TestRow rows[] = {{.check = "memory bandwidth",
                           .host = "a",
                           .where = "cores 0",
                           .result = TestResult::Info,
                           .what = "9.1 GB/s"}};
  EXPECT_FALSE(failed(rows));
  EXPECT_EQ(failure_text(rows), "");
}

TEST(TestRows, SurviveTheirJson) {
  const std::vector<TestRow> rows = {wrong(1)};
  const std::vector<TestRow> read = rows_from_json(rows_json(rows));
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].result, TestResult::Fail);
  EXPECT_EQ(read[0].mismatches[0].operation, "ReluOf0");
  EXPECT_EQ(rows_text(read), rows_text(rows));
}

}  // namespace
}  // namespace lockstep
