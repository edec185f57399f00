#include "sweep/order.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "sweep/run_sweep.h"

namespace lockstep {
namespace {

TEST(Order, ARoundHasEveryRunOnce) {
  std::vector<size_t> order = order_of_round(100, 3, 1);
  std::ranges::sort(order);
  for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
}

TEST(Order, RoundsDifferAndTheSeedDecides) {
  EXPECT_NE(order_of_round(100, 0, 1), order_of_round(100, 1, 1));
  EXPECT_NE(order_of_round(100, 0, 1), order_of_round(100, 0, 2));
  EXPECT_EQ(order_of_round(100, 0, 1), order_of_round(100, 0, 1));
}

TEST(Order, EveryPlaceIsAboutAsLikely) {
  std::vector<int> first(5);
  for (int round = 0; round < 5000; ++round) ++first[order_of_round(5, round, 7)[0]];
  for (const int count : first) EXPECT_NEAR(count, 1000, 150);
}

TEST(MissingLaunches, AreThoseThatTheStoreLacks) {
  SweepPlan plan = {.runs = {{"a", {}}, {"b", {}}}, .repeats = 2};
  StoreContents contents;
  contents.runs.push_back({.id = "a", .repeat = 0});
  contents.runs.push_back({.id = "b", .repeat = 0});
  contents.runs.back().result.error = "it broke";
  const auto missing = missing_launches(plan, contents);
  ASSERT_EQ(missing.size(), 2u);
  EXPECT_EQ(missing[0].second, 1);
  plan.retry_failed = true;
  EXPECT_EQ(missing_launches(plan, contents).size(), 3u);
}

}  // namespace
}  // namespace lockstep
