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

TEST(ComparedHosts, GpusAreComparedWithTheSameModel) {
  const auto gpus = [](const std::vector<const char*>& names) {
    Json host = {{"cpu_model", "X"}, {"gpus", Json::array()}};
    for (const char* name : names) host["gpus"].push_back({{"name", name}});
    return host;
  };
  const auto on = [](const std::string& host, const std::string& device, uint64_t bits) {
    TestRow result = {.check = "operations f32", .host = host, .where = device};
    result.digests = {{device, bits}};
    return result;
  };
  const Json hosts = {{"a", gpus({"H100", "H100"})},
                      {"b", gpus({"T4"})},
                      {"c", gpus({"H100"})},
                      {"d", gpus({"H100", "T4"})}};
  std::vector<TestRow> other = {on("a", "cuda:0", 7), on("a", "cuda:1", 7), on("b", "cuda:0", 8),
                                on("d", "cuda:0", 7), on("d", "cuda:1", 8)};
  compare_hosts(other, hosts);
  EXPECT_FALSE(failed(other));
  std::vector<TestRow> same = {on("a", "cuda:0", 7), on("a", "cuda:1", 7), on("c", "cuda:0", 8)};
  compare_hosts(same, hosts);
  EXPECT_EQ(same[2].result, TestResult::Fail);
}

}  // namespace
}  // namespace lockstep
