// `train --program` on real PyTorch: the definitions of examples/, and torchrun's.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "report/results/run_result.h"
#include "support/command_runs.h"
#include "support/paths.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// Of the python3 that './run torch' builds with, else of the first in PATH that can import torch;
// empty: there is none.
std::string folder_of_python_with_torch() {
  const std::string of_build = fs::path(LOCKSTEP_TORCH_PYTHON).parent_path();
  const std::string path = std::getenv("PATH");
  for (const std::string& folder : split(of_build + ":" + path, ':')) {
    if (folder.empty() || !fs::exists(folder + "/python3")) continue;
    const std::string command = folder + "/python3 -c 'import torch' >/dev/null 2>&1";
    if (std::system(command.c_str()) == 0) return folder;
  }
  return "";
}

class RealPyTorch : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string folder = folder_of_python_with_torch();
    if (folder.empty()) GTEST_SKIP() << "no python3 can import torch; './run torch' installs it";
    const std::string path = std::getenv("PATH");
    setenv("PATH", (folder + ":" + path).c_str(), 1);
  }

  Outcome measure(const std::string& program, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"train",           "--program",
                                      program,           "--model=lenet",
                                      "--batch-size=4",  "--threads=1",
                                      "--num-batches=6", "--num-warmup-batches=1",
                                      "--result",        temporary_.path("r.json"),
                                      "--display-every", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  RunResult result() const { return read_result(temporary_.path("r.json")); }

  TemporaryDirectory temporary_;
};

TEST_F(RealPyTorch, TheExampleIsMeasured) {
  const Outcome outcome = measure(project_path("examples/pytorch_train.toml"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(result().steps.size(), 3u);
  EXPECT_GT(result().throughput.total_images_per_second, 0);
}

TEST_F(RealPyTorch, TheExampleIsMeasuredOnTwoDevices) {
  const Outcome outcome = measure(project_path("examples/pytorch_ddp.toml"), {"--num-devices=2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(result().program->total_lines.size(), 2u);
}

TEST_F(RealPyTorch, TorchrunIsMeasuredOnTwoDevices) {
  const Outcome outcome =
      measure("torchrun_ddp", {"--num-devices=2", "--program-dir", project_path("examples")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(result().program->total_lines.size(), 2u);
}

}  // namespace
}  // namespace lockstep
