#include "report/analysis/slow_ranks.h"

#include <gmock/gmock.h>

#include "report/made_steps.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<int> ranks_of(std::span<const LateRank> list) {
  std::vector<int> ranks;
  for (const LateRank& each : list) ranks.push_back(each.rank);
  std::ranges::sort(ranks);
  return ranks;
}

std::vector<int> slow_in(const MadeSteps& made) {
  return ranks_of(slow_ranks(*made_result(made).path, made.ranks));
}

// Equally slow in every step, with some noise: by chance one or the other is the last.
MadeSteps slow(int ranks, int count) {
  MadeSteps made;
  made.ranks = ranks;
  made.late_rank = 1;
  made.late_ranks = count;
  made.late_backward = 0.020;
  made.noise = 0.1;
  made.steps = 200;
  return made;
}

TEST(SlowRanks, RanksThatAreEquallySlowAreAllLateInAllSteps) {
  for (const int ranks : {4, 8}) {
    for (const int servers : {0, 2}) {
      MadeSteps made = slow(ranks, ranks / 2 - ranks / 8);  // 2 of 4, 3 of 8
      made.servers = servers;
      const PathSummary path = *made_result(made).path;
      const auto found = slow_ranks(path, ranks);
      EXPECT_THAT(ranks_of(found), ranks == 4 ? std::vector({1, 2}) : std::vector({1, 2, 3}));
      for (const LateRank& each : found) {
        EXPECT_EQ(each.fraction, 1);
        EXPECT_NEAR(1e3 * each.seconds, 20, 2);
      }
      EXPECT_NEAR(1e3 * path.part(PathPart::Late), 20, 4) << "the size is that of the last rank";
    }
  }
}

TEST(SlowRanks, TwoRanksThatUpdateSlowlyAreBothLate) {
  MadeSteps made = slow(4, 2);
  made.late_backward = 0;
  made.late_update = 0.010;
  made.noise = 0;
  EXPECT_THAT(slow_in(made), ElementsAre(1, 2));
}

TEST(SlowRanks, OfRanksThatAreSlowedByChanceNoneIs) {
  for (const int ranks : {2, 3, 4, 5, 8, 16}) {
    MadeSteps made;
    made.ranks = ranks;
    made.noise = 1;
    for (const int steps : {50, 200, 400}) {
      made.steps = steps;
      EXPECT_THAT(slow_in(made), IsEmpty()) << ranks << " ranks, " << steps << " steps";
    }
  }
}

TEST(SlowRanks, ARankThatIsLateNowAndThenAmongChanceIs) {
  for (const int ranks : {2, 4, 8}) {
    MadeSteps made = slow(ranks, 1);
    made.noise = 0.5;
    made.late_backward = 0.060;
    made.late_every = 4;
    EXPECT_THAT(slow_in(made), ElementsAre(1)) << ranks << " ranks";
  }
}

PathSummary with(std::vector<LateRank> late, double seconds = 0.020) {
  PathSummary path = {.late = std::move(late)};
  path.part(PathPart::Late) = seconds;
  return path;
}

TEST(SlowRanks, ARankThatCostsFarMoreThanTheSecondIsAlone) {
  const PathSummary path = with({{.rank = 2, .fraction = 1, .seconds = 0.020},
                                 {.rank = 0, .fraction = 0.4, .seconds = 0.005}});
  EXPECT_THAT(ranks_of(slow_ranks(path, 4)), ElementsAre(2));
}

TEST(SlowRanks, MoreThanHalfOfTheRanksAreLateInTurn) {
  const PathSummary path = with({{.rank = 1, .fraction = 0.6, .seconds = 0.030},
                                 {.rank = 0, .fraction = 0.4, .seconds = 0.030}});
  EXPECT_THAT(slow_ranks(path, 2), IsEmpty());
  EXPECT_THAT(ranks_of(slow_ranks(path, 4)), ElementsAre(0, 1));
}

TEST(SlowRanks, AreNamedWithTheirHostsUpToThree) {
  std::vector<LateRank> late = {{2, "b", 1, 0.0201, ""}, {3, "b", 0.98, 0.0194, "forward"}};
  EXPECT_THAT(words_on_slow_ranks(late),
              StartsWith("Ranks 2 and 3 (b) were late in 100 and 98 % of steps, by 20.1 and 19.4 "
                         "ms. Look for"));
  EXPECT_EQ(name_of_slow_ranks(late), "late ranks 2 and 3");
  late[0].where = "forward";
  late.push_back({4, "c", 0.97, 0.0193, "forward"});
  EXPECT_THAT(words_on_slow_ranks(late),
              StartsWith("Ranks 2 (b), 3 (b) and 4 (c) were late in 100, 98 and 97 % of steps, by "
                         "20.1, 19.4 and 19.3 ms, in forward. "));
  late.push_back({5, "c", 0.97, 0.0192, "forward"});
  EXPECT_THAT(words_on_slow_ranks(late),
              StartsWith("Ranks 2 (b), 3 (b) and 4 (c) were late in 100, 98 and 97 % of steps, by "
                         "20.1, 19.4 and 19.3 ms, in forward; so were others. "));
  EXPECT_EQ(name_of_slow_ranks(late), "late ranks");
  EXPECT_THAT(words_on_slow_ranks(std::span(late).first(1)),
              StartsWith("Rank 2 (b) was late in 100 % of steps, by 20.1 ms, in forward. "));
}

}  // namespace
}  // namespace lockstep
