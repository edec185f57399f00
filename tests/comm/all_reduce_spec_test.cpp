#include "comm/all_reduce_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

std::string problem_of(const std::string& text) {
  try {
    parse_all_reduce_spec(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(AllReduceSpec, OfOneNameHasOneRuleWithoutLimit) {
  EXPECT_EQ(parse_all_reduce_spec("xring").rules, AllReduceRules({{.algorithm = "ring"}}));
  EXPECT_EQ(parse_all_reduce_spec("collective").rules, AllReduceRules({{.algorithm = "native"}}));
  EXPECT_EQ(parse_all_reduce_spec("psgpu#4").rules,
            AllReduceRules({{.algorithm = "tree", .shards = 4}}));
}

TEST(AllReduceSpec, CountsLimitsInElementsOfFourBytes) {
  EXPECT_EQ(parse_all_reduce_spec("pscpu:32k:xring").rules,
            AllReduceRules({{4 * 32768, "tree"}, {.algorithm = "ring"}}));
  EXPECT_EQ(parse_all_reduce_spec("pscpu:2k:pscpu#2:64K:xring").rules,
            AllReduceRules({{4 * 2048, "tree"}, {4 * 65536, "tree", 2}, {.algorithm = "ring"}}));
  EXPECT_EQ(parse_all_reduce_spec("tree:7:ring").rules[0].up_to_bytes, 28);
  EXPECT_EQ(parse_all_reduce_spec("tree:3M:ring").rules[0].up_to_bytes, int64_t{12} << 20);
  EXPECT_EQ(parse_all_reduce_spec("tree:1G:ring").rules[0].up_to_bytes, int64_t{4} << 30);
  EXPECT_EQ(parse_all_reduce_spec("tree:1T:ring").rules[0].up_to_bytes, int64_t{4} << 40);
}

TEST(AllReduceSpec, WithASlashMeansBetweenHosts) {
  const AllReduceSpec spec = parse_all_reduce_spec("nccl/xring");
  EXPECT_TRUE(spec.per_host);
  EXPECT_EQ(spec.rules, AllReduceRules({{.algorithm = "ring"}}));
  EXPECT_EQ(parse_all_reduce_spec("nccl/rechd").rules[0].algorithm, "halving_doubling");
  EXPECT_EQ(parse_all_reduce_spec("pscpu/pscpu#2").rules[0].shards, 2);
  EXPECT_FALSE(parse_all_reduce_spec("xring").per_host);
}

TEST(AllReduceSpec, RefusesWhatItCannotReadAndQuotesIt) {
  EXPECT_THAT(problem_of("rings"), HasSubstr("'rings'"));
  EXPECT_THAT(problem_of("rings"), HasSubstr("xring"));
  EXPECT_THAT(problem_of(""), HasSubstr("unknown algorithm ''"));
  EXPECT_THAT(problem_of("xring:32k"), HasSubstr("LIMIT"));
  EXPECT_THAT(problem_of("xring:many:pscpu"), HasSubstr("'many'"));
  EXPECT_THAT(problem_of("xring:0:pscpu"), HasSubstr("'0'"));
  EXPECT_THAT(problem_of("xring:-4:pscpu"), HasSubstr("'-4'"));
  EXPECT_THAT(problem_of("xring:k:pscpu"), HasSubstr("'k'"));
  EXPECT_THAT(problem_of("xring:9999999999T:pscpu"), HasSubstr("'9999999999T'"));
  EXPECT_THAT(problem_of("nccl#2/xring"), HasSubstr("'nccl#2/xring'"));
  EXPECT_THAT(problem_of("collective#3"), HasSubstr("from 1 to 2"));
  EXPECT_THAT(problem_of("xring#0"), HasSubstr("'xring#0'"));
  EXPECT_THAT(problem_of("xring#two"), HasSubstr("'xring#two'"));
  EXPECT_THAT(problem_of("tree:4k:ring:2k:native"), HasSubstr("limit"));
}

}  // namespace
}  // namespace lockstep
