#include "run/rank_device.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

Environment visible(const std::string& devices) {
  return [devices](const std::string& name) {
    return name == "CUDA_VISIBLE_DEVICES" ? std::optional(devices) : std::nullopt;
  };
}
const Environment kNothingSet = [](const std::string&) { return std::nullopt; };

TEST(RankDevice, WorkersOfAHostTakeItsGpusInOrder) {
  EXPECT_EQ(rank_device("cuda", 0, kNothingSet), "cuda:0");
  EXPECT_EQ(rank_device("cuda", 3, kNothingSet), "cuda:3");
  EXPECT_EQ(rank_device("cuda", 1, visible("2,3")), "cuda:1");
}

TEST(RankDevice, AProcessThatSeesOneGpuTakesThatOne) {
  EXPECT_EQ(rank_device("cuda", 3, visible("5")), "cuda:0");
}

TEST(RankDevice, AnythingElseStaysAsGiven) {
  EXPECT_EQ(rank_device("cpu", 3, kNothingSet), "cpu");
  EXPECT_EQ(rank_device("cuda:2", 3, kNothingSet), "cuda:2");
}

}  // namespace
}  // namespace lockstep
