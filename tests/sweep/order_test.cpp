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

TEST(Order, EveryPositionIsAboutEquallyLikely) {
  std::vector<int> first(5);
  for (int round = 0; round < 5000; ++round) ++first[order_of_round(5, round, 7)[0]];
  for (const int count : first) EXPECT_NEAR(count, 1000, 150);
}

TEST(MissingLaunches, AreThoseMissingInTheStore) {
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

StoredRun launch_of(const std::string& id, int repeat, double rate) {
  StoredRun run = {.id = id, .repeat = repeat};
  run.result.throughput.total_images_per_second = rate;
  return run;
}

TEST(MissingLaunches, ARunThatIsPreciseEnoughNeedsNoMoreLaunches) {
  SweepPlan plan = {.runs = {{"even", {}}, {"uneven", {}}}, .repeats = 10, .precision = 0.05};
  StoreContents contents;
  for (int repeat = 0; repeat < 3; ++repeat) {
    contents.runs.push_back(launch_of("even", repeat, 100 + 0.1 * repeat));
    contents.runs.push_back(launch_of("uneven", repeat, 100 + 50 * repeat));
  }
  const auto missing = missing_launches(plan, contents);
  EXPECT_EQ(missing.size(), 7u);
  for (const auto& [index, round] : missing) EXPECT_EQ(index, 1u);
}

TEST(MissingLaunches, ASimulatedResultDoesNotCountAsALaunch) {
  const SweepPlan plan = {.runs = {{"a", {}}}, .repeats = 1};
  StoreContents contents;
  contents.runs.push_back(launch_of("a", 0, 100));
  EXPECT_EQ(missing_launches(plan, contents).size(), 0u);
  contents.runs.back().result.origin = "simulated by hand";
  EXPECT_EQ(missing_launches(plan, contents).size(), 1u);
}

}  // namespace
}  // namespace lockstep
