#include "run/clock_offsets.h"

#include <gtest/gtest.h>

#include "support/ranks.h"

namespace lockstep {
namespace {

TimePoint at(double seconds) {
  return TimePoint(std::chrono::duration_cast<Clock::duration>(Seconds(seconds)));
}

// A clock that is 5 s behind at first and gains 50 millionths.
TEST(ClockOffsets, AClockThatDriftsIsCorrectAtEveryMoment) {
  constexpr double kDrift = 5e-5, kLate = 5, kBegin = 1000, kEnd = 1150;
  const auto theirs = [&](double ours) { return ours - kLate + kDrift * (ours - kBegin); };
  const auto measured = [&](double ours) {
    return ClockOffsets{.at = at(ours),
                        .of_ranks = {Seconds{0}, Seconds(ours - theirs(ours))},
                        .errors = {Seconds{0}, Seconds{1e-4}}};
  };
  const RankClock clock(measured(kBegin), measured(kEnd), 1);
  for (const double ours : {kBegin, 1040.0, 1075.0, kEnd}) {
    EXPECT_NEAR((theirs(ours) + clock.offset(at(theirs(ours))).count()), ours, 1e-6);
  }
}

// Else records of one step would not end where those of the next begin.
TEST(ClockOffsets, ADifferenceWithinTheErrorsIsNoDrift) {
  const auto measured = [&](double ours, double offset, double error) {
    return ClockOffsets{.at = at(ours),
                        .of_ranks = {Seconds{0}, Seconds{offset}},
                        .errors = {Seconds{0}, Seconds{error}}};
  };
  const RankClock clock(measured(7, 3, 2e-6), measured(8, 3.000002, 1e-6), 1);
  EXPECT_EQ(clock.offset(at(4)), Seconds{3.000002}) << "that of the smaller error";
  EXPECT_EQ(clock.offset(at(5)), clock.offset(at(4)));
}

TEST(ClockOffsets, RanksOfOneProcessHaveOneClock) {
  run_ranks("local", 3, [](Communicator& control) {
    const ClockOffsets offsets = measure_clock_offsets(control);
    if (control.rank() > 0) {
      EXPECT_TRUE(offsets.of_ranks.empty());
      return;
    }
    ASSERT_EQ(offsets.of_ranks.size(), 3u);
    ASSERT_EQ(offsets.errors.size(), 3u);
    EXPECT_EQ(offsets.of_ranks[0], Seconds{0});
    EXPECT_LE(offsets.at, Clock::now());
  });
}

}  // namespace
}  // namespace lockstep
