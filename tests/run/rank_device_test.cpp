#include "run/rank_device.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lockstep {
namespace {

Environment visible(const std::string& devices) {
  return [devices](const std::string& name) {
    return name == "CUDA_VISIBLE_DEVICES" ? std::optional(devices) : std::nullopt;
  };
}
const Environment kNothingSet = [](const std::string&) { return std::nullopt; };

TEST(RankDevice, WorkersOfAHostTakeItsGpusInOrder) {
  EXPECT_EQ(rank_device({.device = "cuda"}, 0, kNothingSet), "cuda:0");
  EXPECT_EQ(rank_device({.device = "cuda"}, 3, kNothingSet), "cuda:3");
  EXPECT_EQ(rank_device({.device = "cuda"}, 1, visible("2,3")), "cuda:1");
}

TEST(RankDevice, AProcessThatSeesOneGpuTakesThatOne) {
  EXPECT_EQ(rank_device({.device = "cuda"}, 3, visible("5")), "cuda:0");
}

TEST(RankDevice, AnythingElseStaysAsGiven) {
  EXPECT_EQ(rank_device({.device = "cpu"}, 3, kNothingSet), "cpu");
  EXPECT_EQ(rank_device({.device = "cuda:2"}, 3, kNothingSet), "cuda:2");
}

TEST(RankDevice, GpuIndicesListTheGpusOfAHost) {
  const RunConfig run = {.device = "cuda", .gpu_indices = "3,1", .num_devices = 2};
  EXPECT_EQ(rank_device(run, 0, kNothingSet), "cuda:3");
  EXPECT_EQ(rank_device(run, 1, kNothingSet), "cuda:1");
  EXPECT_THROW(rank_device(run, 2, kNothingSet), UsageError);
}

TEST(RankDevice, GpuIndicesAreDifferentNumbersAndEnough) {
  for (const char* wrong : {"x", "0,", "0,0", "-1", "0;1"}) {
    EXPECT_THROW(gpu_indices({.gpu_indices = wrong}), UsageError) << wrong;
  }
  EXPECT_THROW(gpu_indices({.gpu_indices = "0,1", .num_devices = 3}), UsageError);
  EXPECT_EQ(gpu_indices({.gpu_indices = "4"}), std::vector<int>{4});
  EXPECT_TRUE(gpu_indices({}).empty());
}

}  // namespace
}  // namespace lockstep
