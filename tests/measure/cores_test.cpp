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

}  // namespace
}  // namespace lockstep
