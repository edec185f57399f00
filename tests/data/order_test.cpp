#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "data/pipeline/epoch_order.h"

namespace lockstep {
namespace {

OrderOptions options(int64_t examples, int ranks = 1) {
  OrderOptions order = {.examples = examples, .ranks = ranks, .seed = 7};
  for (int64_t begin = 0; begin < examples; begin += 10) order.group_begins.push_back(begin);
  return order;
}

TEST(EpochOrder, EveryExampleIsSeenOncePerEpochOverAllRanks) {
  constexpr int64_t kExamples = 1003;  // not a multiple of any number of ranks here
  constexpr int64_t kEpochs = 3;
  for (const int ranks : {1, 2, 3, 7, 16}) {
    std::map<std::pair<int64_t, int64_t>, int> seen;  // by epoch and example
    for (int rank = 0; rank < ranks; ++rank) {
      OrderOptions order = options(kExamples, ranks);
      order.rank = rank;
      EpochOrder turns(order);
      for (Turn turn = turns.next(); turn.epoch < kEpochs; turn = turns.next()) {
        ++seen[{turn.epoch, turn.example}];
      }
    }
    EXPECT_EQ(seen.size(), size_t(kExamples * kEpochs)) << ranks;
    EXPECT_TRUE(std::ranges::all_of(seen, [](const auto& row) { return row.second == 1; }))
        << ranks;
  }
}

TEST(EpochOrder, AStepTakesTheSameExamplesHoweverManyRanksShareIt) {
  std::vector<std::set<int64_t>> first_steps;
  for (const int ranks : {1, 2, 4}) {
    std::set<int64_t> examples;
    for (int rank = 0; rank < ranks; ++rank) {
      OrderOptions order = options(500, ranks);
      order.rank = rank;
      EpochOrder turns(order);
      for (int i = 0; i < 32 / ranks; ++i) examples.insert(turns.next().example);
    }
    first_steps.push_back(examples);
  }
  EXPECT_EQ(first_steps[0], first_steps[1]);
  EXPECT_EQ(first_steps[0], first_steps[2]);
}

TEST(EpochOrder, SeedAndEpochDecideTheOrder) {
  OrderOptions other = options(500);
  other.seed = 8;
  EXPECT_EQ(order_of_epoch(options(500), 3), order_of_epoch(options(500), 3));
  EXPECT_NE(order_of_epoch(options(500), 3), order_of_epoch(options(500), 4));
  EXPECT_NE(order_of_epoch(options(500), 3), order_of_epoch(other, 3));
}

TEST(EpochOrder, UnshuffledIsAsStored) {
  OrderOptions order = options(50);
  order.shuffled = false;
  std::vector<int64_t> stored(50);
  std::iota(stored.begin(), stored.end(), 0);
  EXPECT_EQ(order_of_epoch(order, 2), stored);
}

TEST(EpochOrder, AWindowOfExamplesComesFromFewGroups) {
  const std::vector<int64_t> order = order_of_epoch(options(1000), 0);  // 100 groups of 10
  std::set<int64_t> groups;
  for (int i = 0; i < 160; ++i) groups.insert(order[i] / 10);
  EXPECT_EQ(groups.size(), 16u);
}

TEST(EpochOrder, ContinuesFromARunWithAnotherNumberOfRanks) {
  EpochOrder alone(options(100));
  for (int i = 0; i < 60; ++i) alone.next();
  OrderOptions pair = options(100, 2);
  pair.rank = 1;
  EpochOrder second(pair, 60);
  alone.next();
  EXPECT_EQ(second.next().example, alone.next().example);
}

}  // namespace
}  // namespace lockstep
