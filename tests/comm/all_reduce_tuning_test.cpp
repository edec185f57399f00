#include "comm/all_reduce_tuning.h"

#include <gtest/gtest.h>

#include "comm/all_reduce_spec.h"

namespace lockstep {
namespace {

const std::vector<std::string> kAlgorithms = {"tree", "ring", "native"};

TEST(AllReduceTuning, TakesTheFastestOfEachSizeUpToThatSize) {
  const AllReduceRules rules = fastest_rules(kAlgorithms, {{.bytes = 1024, .seconds = {1, 2, 3}},
                                                           {.bytes = 4096, .seconds = {2, 3, 4}},
                                                           {.bytes = 65536, .seconds = {9, 7, 5}}});
  EXPECT_EQ(rules,
            (AllReduceRules{{.up_to_bytes = 4096, .algorithm = "tree"}, {.algorithm = "native"}}));
}

TEST(AllReduceTuning, KeepsAnAlgorithmThatIsNearlyAsFast) {
  const AllReduceRules rules = fastest_rules(
      kAlgorithms,
      {{.bytes = 1024, .seconds = {1, 2, 3}}, {.bytes = 4096, .seconds = {1, 0.97, 2}}});
  EXPECT_EQ(rules, (AllReduceRules{{.algorithm = "tree"}}));
}

TEST(AllReduceTuning, OneSizeGivesOneRule) {
  EXPECT_EQ(fastest_rules(kAlgorithms, {{.bytes = 8, .seconds = {3, 2, 1}}}),
            (AllReduceRules{{.algorithm = "native"}}));
}

TEST(AllReduceTuning, WhatItFindsCanBeWrittenAsASpecAndReadAgain) {
  const AllReduceRules rules = {
      {.up_to_bytes = 4 * 1000, .algorithm = "tree"},
      {.up_to_bytes = 4 << 20, .algorithm = "halving_doubling", .shards = 2},
      {.up_to_bytes = int64_t{4} << 30, .algorithm = "ring"},
      {.algorithm = "native"}};
  EXPECT_EQ(spec_text(rules), "tree:1000:halving_doubling#2:1M:ring:1G:native");
  EXPECT_EQ(parse_all_reduce_spec(spec_text(rules)).rules, rules);
}

TEST(AllReduceTuning, EverySizeHasAWinnerAndItsLead) {
  const auto winners = winners_by_size(
      kAlgorithms, {{.bytes = 8, .seconds = {3, 2, 4}}, {.bytes = 64, .seconds = {1, 5, 2}}});
  ASSERT_EQ(winners.size(), 2u);
  EXPECT_EQ(winners[0].fastest, kAlgorithms[1]);
  EXPECT_EQ(winners[0].second, kAlgorithms[0]);
  EXPECT_DOUBLE_EQ(winners[0].lead, 1.5);
  EXPECT_EQ(winners[1].second, kAlgorithms[2]);
  EXPECT_DOUBLE_EQ(winners[1].lead, 2);
  EXPECT_EQ(winners_by_size({"a"}, {{.bytes = 8, .seconds = {1}}})[0].second, "");
}

}  // namespace
}  // namespace lockstep
