#include "run/framework/framework_problems.h"

#include <gmock/gmock.h>

#include "config/run_options.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RunConfig with(std::string_view option, const std::string& value) {
  RunConfig run;
  run.framework = "pytorch";
  set_from_text(run, *find_option(option), value);
  return run;
}

TEST(FrameworkProblems, WhatOnlyOurOwnEnginesDoIsRefused) {
  const std::pair<const char*, const char*> options[] = {
      {"bucket-mb", "4"},
      {"conv-algo", "direct"},
      {"communicator", "gloo"},
      {"optimizer", "adam"},
      {"variable-update", "parameter_server"},
      {"engine", "torch"},
      {"device", "mps"},
      {"dtype", "bf16"},
      {"benchmark-log-dir", "logs"},
      {"eval-during-training-every-n-steps", "2"}};
  for (const auto& [option, value] : options) {
    const std::string text = std::string("--") + option + " " + value;
    EXPECT_THAT(framework_problems(with(option, value)),
                ElementsAre(text + " is not supported with --framework pytorch"));
  }
  EXPECT_THAT(framework_problems(with("print-training-accuracy", "true")),
              ElementsAre("--print-training-accuracy is not supported with --framework pytorch"));
}

TEST(FrameworkProblems, WhatAFrameworkDoesTooIsNot) {
  for (const auto& [option, value] : {std::pair{"optimizer", "momentum"},
                                      {"variable-update", "horovod"},
                                      {"weight-decay", "0.1"},
                                      {"network", "image = 8"},
                                      {"network-file", "net.toml"},
                                      {"device", "cuda:1"},
                                      {"dtype", "tf32"},
                                      {"num-devices", "4"}}) {
    EXPECT_THAT(framework_problems(with(option, value)), IsEmpty()) << option;
  }
}

// MXNet 1.9.1 can only be told never to use it.
TEST(FrameworkProblems, Tf32IsRefusedWhereItCannotBeChosen) {
  RunConfig run = with("dtype", "tf32");
  run.framework = "mxnet";
  EXPECT_THAT(framework_problems(run),
              ElementsAre("--dtype tf32 is not supported with --framework mxnet"));
}

}  // namespace
}  // namespace lockstep
