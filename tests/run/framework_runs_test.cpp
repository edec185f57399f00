// `train --framework` with a real framework.
#include <filesystem>
#include <fstream>

#include "report/results/run_result.h"
#include "run/workers_fixture.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class FrameworkRuns : public Workers {
 protected:
  void SetUp() override {
    if (std::string(LOCKSTEP_TORCH_PYTHON).empty()) {
      GTEST_SKIP() << "no Python with PyTorch; './run torch' installs one";
    }
  }
  Ran train_with(const std::string& framework, const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"--framework",         framework,  "--python",
                                      LOCKSTEP_TORCH_PYTHON, "--result", path("r.json")};
    words.insert(words.end(), more.begin(), more.end());
    return run(train(words));
  }
};

// Batch normalisation, branches, uneven padding, dropout, local response normalisation.
TEST_F(FrameworkRuns, PyTorchTrainsTheSameNetworks) {
  for (const char* model : {"lenet", "resnet20", "cifar10_alexnet", "googlenet", "mobilenet"}) {
    const Ran ran = train_with("pytorch:eager", {"--model", model, "--num-batches=2"});
    ASSERT_EQ(ran.exit_code(), 0) << model << "\n" << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("same network: losses agree to ")) << model;
    const RunResult result = read_result(path("r.json"));
    EXPECT_THAT(result.origin, StartsWith("framework pytorch 2.")) << model;
    EXPECT_EQ(result.steps.size(), 2u) << model;
    EXPECT_GT(result.steps[0].phase(Phase::Backward).count(), 0) << model;
  }
}

TEST_F(FrameworkRuns, TwoWorkersReduceTheirGradientsByGloo) {
  const Ran ran = train_with("pytorch:eager", {"--num-devices=2", "--threads=1"});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  const RunResult result = read_result(path("r.json"));
  ASSERT_EQ(result.ranks.size(), 2u);
  EXPECT_EQ(result.facts.communicator, "gloo");
  for (const RankResult& rank : result.ranks) EXPECT_EQ(rank.steps.size(), 6u);
}

TEST_F(FrameworkRuns, APythonWithoutTheFrameworkIsNamed) {
  std::ofstream(path("python"))
      << "#!/bin/sh\necho \"ModuleNotFoundError: No module named 'torch'\""
         " >&2\nexit 1\n";
  std::filesystem::permissions(path("python"), std::filesystem::perms::owner_all);
  const Ran ran = run(train({"--framework=pytorch:eager", "--python", path("python")}));
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("No module named 'torch'"));
  EXPECT_THAT(ran.err, HasSubstr("pip install torch"));
}

TEST_F(FrameworkRuns, WhatAFrameworkLacksIsRefused) {
  const Ran ran = run(train({"--framework=pytorch", "--variable-update=parameter_server",
                             "--optimizer=adam", "--framework=pytorch"}));
  EXPECT_EQ(ran.exit_code(), 2);
  EXPECT_THAT(ran.err, HasSubstr("--variable-update is not supported with --framework pytorch"));
  EXPECT_THAT(ran.err, HasSubstr("--optimizer is not supported with --framework pytorch"));
}

}  // namespace
}  // namespace lockstep
