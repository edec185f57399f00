#include "run/rank/format_check.h"

#include <gmock/gmock.h>

namespace lockstep {
namespace {

using ::testing::HasSubstr;

// One GPU for each number.
class GpusOf final : public GpuLibrary {
 public:
  explicit GpusOf(std::vector<int> capabilities) : capabilities_(std::move(capabilities)) {}
  int count() override { return static_cast<int>(capabilities_.size()); }
  GpuInfo info(int gpu) override {
    return {.name = "G",
            .uuid = {},
            .pci_address = {},
            .driver = {},
            .compute_capability = capabilities_[static_cast<size_t>(gpu)]};
  }
  GpuState state(int) override { return {}; }
  std::optional<bool> peers(int, int) override { return {}; }

 private:
  std::vector<int> capabilities_;
};

TEST(FormatCheck, Tf32AndBf16RequireCapability8) {
  GpusOf gpus({75, 80});
  for (const Dtype dtype : {Dtype::Tf32, Dtype::Bf16}) {
    EXPECT_THAT(format_obstacle(dtype, "cuda:0", &gpus, 0), HasSubstr("compute capability 7.5"));
    EXPECT_EQ(format_obstacle(dtype, "cuda:1", &gpus, 1), "");
    EXPECT_NE(format_obstacle(dtype, "cuda:1", &gpus, {}), "") << "which one it is is not known";
  }
  for (const Dtype dtype : {Dtype::F32, Dtype::Fp16}) {
    EXPECT_EQ(format_obstacle(dtype, "cuda:0", &gpus, 0), "");
  }
}

TEST(FormatCheck, WithoutNvidiasLibraryThereIsNoTf32) {
  EXPECT_NE(format_obstacle(Dtype::Tf32, "cuda:0", nullptr, {}), "");
  EXPECT_EQ(format_obstacle(Dtype::Bf16, "cuda:0", nullptr, {}), "");
  EXPECT_EQ(format_obstacle(Dtype::Bf16, "xpu:0", nullptr, {}), "");
  EXPECT_EQ(format_obstacle(Dtype::Bf16, "cpu", nullptr, {}), "");
}

}  // namespace
}  // namespace lockstep
