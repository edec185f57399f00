#include "selftest/compare_hosts.h"

#include <gmock/gmock.h>

#include "config/json.h"

namespace lockstep {
namespace {

const Json kHosts = {{"a", {{"cpu_model", "X"}}},
                     {"b", {{"cpu_model", "X"}}},
                     {"c", {{"cpu_model", "X"}}},
                     {"d", {{"cpu_model", "Y"}}}};

TestRow row(const std::string& host, uint64_t bits) {
  TestRow result = {.check = "operations avx2", .host = host, .where = "cores 0"};
  result.digests = {{"core 0", bits}};
  return result;
}

std::vector<TestRow> compared(std::vector<TestRow> rows) {
  compare_hosts(rows, kHosts);
  return rows;
}

TEST(ComparedHosts, ACoreWithOtherBitsThanMostIsNamed) {
  const auto rows = compared({row("a", 7), row("b", 8), row("c", 7)});
  EXPECT_EQ(rows[0].result, TestResult::Pass);
  ASSERT_EQ(rows[1].result, TestResult::Fail);
  EXPECT_EQ(rows[1].mismatches[0].host, "b");
  EXPECT_EQ(rows[1].mismatches[0].where, "core 0");
}

TEST(ComparedHosts, DifferentProcessorsMayDiffer) {
  EXPECT_FALSE(failed(compared({row("a", 7), row("b", 7), row("d", 8)})));
}

TEST(ComparedHosts, WithoutAMajorityNobodyIsBlamed) {
  EXPECT_FALSE(failed(compared({row("a", 7), row("b", 8)})));
}

TEST(ComparedHosts, ACoreThatFailedAlreadyIsNotCounted) {
  EXPECT_FALSE(failed(compared({row("a", 0), row("b", 8)})));
}

}  // namespace
}  // namespace lockstep
