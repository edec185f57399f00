#include "measure/stragglers.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lockstep {
namespace {

std::vector<StepRecord> steps(std::initializer_list<double> waits) {
  std::vector<StepRecord> records;
  for (const double wait : waits) {
    StepRecord& record = records.emplace_back();
    record.duration = Seconds(1);  // in lockstep all take equally long
    record.phase(Phase::Communication) = Seconds(wait);
  }
  return records;
}

TEST(Stragglers, TheSlowestIsTheOneThatWaitsLeast) {
  const std::vector<StepRecord> ranks[] = {steps({0.5, 0.5, 0.5, 0.1}), steps({0.1, 0.1, 0.1, 0.5}),
                                           steps({0.5, 0.5, 0.5, 0.5})};
  const std::vector<std::span<const StepRecord>> views(std::begin(ranks), std::end(ranks));
  const std::vector<Straggler> found = find_stragglers(views);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_DOUBLE_EQ(found[0].slowest_fraction, 0.25);
  EXPECT_DOUBLE_EQ(found[1].slowest_fraction, 0.75);
  EXPECT_DOUBLE_EQ(found[2].slowest_fraction, 0);
  EXPECT_NEAR(found[1].mean_late, 0.4, 1e-12);
  EXPECT_EQ(found[1].rank, 1);
}

TEST(Stragglers, NoneIsNamedIfARankDoesNotTellHowLongItWaited) {
  const std::vector<StepRecord> ranks[] = {steps({0.5}), steps({std::nan("")})};
  const std::vector<std::span<const StepRecord>> views(std::begin(ranks), std::end(ranks));
  EXPECT_TRUE(find_stragglers(views).empty());
}

}  // namespace
}  // namespace lockstep
