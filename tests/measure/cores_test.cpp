#include "measure/cores.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"

namespace lockstep {
namespace {

TEST(Cores, AreWrittenAsRanges) {
  EXPECT_EQ(core_text({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  EXPECT_EQ(core_text({}), "");
  EXPECT_EQ(parse_cores("0-2,5,7-8"), (CoreSet{0, 1, 2, 5, 7, 8}));
  EXPECT_THROW(parse_cores("1-x"), Error);
  EXPECT_THROW(parse_cores("-"), Error);
}

TEST(Cores, PartsAreDisjointAndTogetherEverything) {
  const CoreSet all = allowed_cores();
  for (int parts = 1; parts <= static_cast<int>(all.size()); ++parts) {
    std::set<int> seen;
    const auto split = split_cores(all, parts);
    ASSERT_EQ(split.size(), static_cast<size_t>(parts));
    for (const CoreSet& part : split) {
      EXPECT_FALSE(part.empty());
      for (const int core : part) EXPECT_TRUE(seen.insert(core).second) << core;
    }
    EXPECT_EQ(seen, std::set<int>(all.begin(), all.end()));
  }
}

TEST(Cores, MorePartsThanCoresAreNone) {
  const CoreSet all = allowed_cores();
  EXPECT_TRUE(split_cores(all, static_cast<int>(all.size()) + 1).empty());
}

TEST(Cores, FewOfManyAreSpreadOverTheMachine) {
  const CoreMachine machine{.synthetic = "pack:2 core:2 pu:2"};  // 0 and 1 are one core
  const CoreSet all = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(spread_cores(all, 1, machine).size(), 1u);
  EXPECT_EQ(spread_cores(all, 2, machine), (CoreSet{0, 4}));
  EXPECT_EQ(spread_cores(all, 4, machine), (CoreSet{0, 2, 4, 6}));
  EXPECT_EQ(spread_cores(all, 8, machine), all);
  EXPECT_EQ(spread_cores({1, 2}, 3, machine), (CoreSet{1, 2}));
  EXPECT_EQ(spread_cores({1, 2, 3}, 2, machine), (CoreSet{1, 2}));
}

TEST(Cores, SpreadCoresAreAsManyAsAskedFor) {
  const CoreSet all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  for (int count = 1; count <= 12; ++count) {
    const CoreSet chosen = spread_cores(all, count, {.synthetic = "core:6 pu:2"});
    EXPECT_EQ(std::set<int>(chosen.begin(), chosen.end()).size(), static_cast<size_t>(count));
  }
}

}  // namespace
}  // namespace lockstep
