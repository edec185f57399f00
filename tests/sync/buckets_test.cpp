#include "sync/buckets.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

// Parameters of so many floats, in the order of backward.
ArenaLayout arena_of(const std::vector<int64_t>& floats) {
  std::vector<ParameterId> order;
  for (int id = 0; id < std::ssize(floats); ++id) order.push_back(id);
  return ArenaLayout(floats, order);
}

std::vector<std::vector<ParameterId>> parameters_of(const std::vector<Bucket>& buckets) {
  std::vector<std::vector<ParameterId>> result;
  for (const Bucket& bucket : buckets) result.push_back(bucket.parameters);
  return result;
}
using Groups = std::vector<std::vector<ParameterId>>;

TEST(Buckets, HoldEveryParameterOnceInOrderAndAreContiguous) {
  const int64_t floats[] = {100, 3, 5000, 17, 1};
  const ParameterId order[] = {4, 2, 0, 3, 1};
  const ArenaLayout arena(floats, order);
  std::vector<ParameterId> seen;
  int64_t end = 0;
  for (const Bucket& bucket : make_buckets(arena, 1024)) {
    EXPECT_GE(bucket.first_float, end);
    EXPECT_EQ(bucket.first_float, arena.offset(bucket.parameters.front()));
    EXPECT_EQ(bucket.last, bucket.parameters.back());
    seen.insert(seen.end(), bucket.parameters.begin(), bucket.parameters.end());
    end = bucket.first_float + bucket.floats;
  }
  EXPECT_EQ(seen, std::vector<ParameterId>(std::begin(order), std::end(order)));
}

TEST(Buckets, CloseOnceTheyHoldTheTarget) {
  const ArenaLayout arena = arena_of({256, 256, 256, 256});
  EXPECT_EQ(make_buckets(arena, 2048).size(), 2u);
  EXPECT_EQ(make_buckets(arena, 1).size(), 4u);
  EXPECT_EQ(make_buckets(arena, 1 << 20).size(), 1u);
}

TEST(Groups, HoldSmallNeighboursAndLeaveLargeGradientsAlone) {
  EXPECT_EQ(parameters_of(make_groups(arena_of({8, 9, 12, 125}), 40, 10)),
            (Groups{{0, 1}, {2}, {3}}));
  EXPECT_EQ(parameters_of(make_groups(arena_of({125, 6, 5, 125, 4}), 40, 10)),
            (Groups{{0}, {1, 2}, {3}, {4}}));
}

TEST(Groups, TakeAGradientOfExactlyTheLimit) {
  EXPECT_EQ(parameters_of(make_groups(arena_of({4, 4, 9, 9}), 12, 10)),
            (Groups{{0}, {1}, {2}, {3}}));
  EXPECT_EQ(parameters_of(make_groups(arena_of({4, 4, 9, 9}), 16, 10)), (Groups{{0, 1}, {2}, {3}}));
  EXPECT_EQ(parameters_of(make_groups(arena_of({4, 4, 9, 9}), 256, 10)), (Groups{{0, 1, 2, 3}}));
}

TEST(Groups, HoldAtMostTheGivenNumber) {
  EXPECT_EQ(parameters_of(make_groups(arena_of({1, 1, 1, 1, 1}), 64, 2)),
            (Groups{{0, 1}, {2, 3}, {4}}));
}

TEST(Packs, AreEqualButTheLastAndCoverTheWholeArena) {
  const ArenaLayout arena = arena_of({100, 3, 5000, 17, 1});  // 5184 with padding
  for (const int count : {1, 2, 3, 5, 7}) {
    const auto packs = make_packs(arena, count);
    ASSERT_EQ(std::ssize(packs), count);
    const int64_t total = arena.floats();
    int64_t end = 0;
    std::vector<ParameterId> seen;
    for (const Bucket& pack : packs) {
      EXPECT_EQ(pack.first_float, end);
      end += pack.floats;
      if (end < total) {
        EXPECT_EQ(pack.floats, total / count);
      }
      seen.insert(seen.end(), pack.parameters.begin(), pack.parameters.end());
    }
    EXPECT_EQ(end, total);
    EXPECT_EQ(seen, (std::vector<ParameterId>{0, 1, 2, 3, 4}));
  }
}

TEST(Packs, CompleteAParameterWithItsLastPiece) {
  const ArenaLayout arena = arena_of({64, 160, 32});
  const auto packs = make_packs(arena, 2);
  EXPECT_EQ(parameters_of(packs), (Groups{{0}, {1, 2}}));
  EXPECT_EQ(packs[0].last, 1);  // half of it belongs there
  EXPECT_EQ(packs[1].last, 2);
}

}  // namespace
}  // namespace lockstep
