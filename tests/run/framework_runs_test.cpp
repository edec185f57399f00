// `train --framework` with real frameworks: what every one of them must do.
#include <csignal>
#include <filesystem>
#include <fstream>

#include "framework/frameworks.h"
#include "measure/cores.h"
#include "process/processes.h"
#include "report/results/run_result.h"
#include "run/planted_errors.h"
#include "run/workers_fixture.h"
#include "support/paths.h"

namespace lockstep {

void PrintTo(const Framework& framework, std::ostream* out) { *out << framework.name; }

namespace {

const auto kSame =
    ::testing::ContainsRegex("same network: losses agree to [-0-9.e]+, gradients to [-0-9.e]+");

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class FrameworkProcess : public Workers {
 protected:
  // A python of this test's own.
  std::string script(const std::string& text) const {
    std::ofstream(path("python")) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(path("python"), std::filesystem::perms::owner_all);
    return path("python");
  }
};

// The native engine, which computes the losses to compare with, binds threads to single cores.
TEST_F(FrameworkProcess, MayUseAllCoresOfItsWorker) {
  const CoreSet cores = allowed_cores();
  const std::string python =
      script("sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status > cores; exit 1");
  run(train({"--framework=pytorch:eager", "--python", python, "--threads",
             fmt::to_string(cores.size())}));
  EXPECT_EQ(contents(path("cores")), core_text(cores) + "\n");
}

class FrameworkRuns : public FrameworkProcess, public ::testing::WithParamInterface<Framework> {
 protected:
  static std::string name() { return std::string(GetParam().name); }
  static std::string python() { return framework_python(name()); }
  static std::string plainest() { return fmt::format("{}:{}", name(), GetParam().modes[0]); }

  void SetUp() override {
    if (!std::filesystem::exists(python())) {
      GTEST_SKIP() << "no " << GetParam().title << "; './run frameworks " << name()
                   << "' installs it";
    }
  }
  Ran train_with(const std::string& framework, const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"--framework", framework,  "--python",
                                      python(),      "--result", path("r.json")};
    words.insert(words.end(), more.begin(), more.end());
    return run(train(words));
  }
  std::string train_and_signal(int signal) const;
};

// Batch normalisation, branches, uneven padding, dropout, local response normalisation.
TEST_P(FrameworkRuns, TrainTheSameNetworks) {
  for (const char* model : {"resnet20", "cifar10_alexnet", "googlenet"}) {
    const Ran ran = train_with(plainest(), {"--model", model, "--num-batches=2"});
    ASSERT_EQ(ran.exit_code(), 0) << model << "\n" << ran.err;
    EXPECT_THAT(ran.err, kSame) << model;
    const RunResult result = read_result(path("r.json"));
    EXPECT_THAT(result.origin, StartsWith("framework " + name() + " ")) << model;
    EXPECT_EQ(result.steps.size(), 2u) << model;
  }
}

// Each mode may build the network in its own way.
TEST_P(FrameworkRuns, EveryModeTrainsTheSameNetwork) {
  for (const std::string_view mode : GetParam().modes) {
    if (mode.empty()) continue;
    const Ran ran = train_with(fmt::format("{}:{}", name(), mode),
                               {"--model=cifar10_alexnet", "--num-batches=2"});
    ASSERT_EQ(ran.exit_code(), 0) << mode << "\n" << ran.err;
    EXPECT_THAT(ran.err, kSame) << mode;
  }
}

// ResNet-20 has batch normalisation, uneven padding, and a dense layer with a bias.
TEST_P(FrameworkRuns, AnErrorInAnAdapterIsNoticed) {
  const std::string faulty = script(fmt::format(
      "cp $1 right.py; sed -i -f edit $1; cmp -s right.py $1 && exit 3; exec {} \"$@\"", python()));
  for (const PlantedError& planted : kPlantedErrors) {
    if (planted.framework != name()) continue;
    std::ofstream(path("edit")) << planted.edit << "\n";
    const Ran ran = run(train({"--framework", plainest(), "--python", faulty, "--model=resnet20",
                               "--num-batches=1", "--optimizer=momentum"}));
    EXPECT_EQ(ran.exit_code(), 1) << planted.what;
    EXPECT_THAT(ran.err, AllOf(HasSubstr(" does not train the same network: "),
                               HasSubstr(std::string(planted.noticed))))
        << planted.what;
  }
}

TEST_P(FrameworkRuns, TheFastestModeIsMeasured) {
  const Ran ran = train_with(name(), {"--num-batches=2"});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  for (const std::string_view mode : GetParam().modes) {
    if (mode.empty()) continue;
    EXPECT_THAT(ran.err, HasSubstr(fmt::format("in mode {}: ", mode)));
  }
  EXPECT_THAT(ran.err, kSame);
}

// With momentum, so that a wrong average would show in all later steps.
TEST_P(FrameworkRuns, TwoWorkersTrainAsOurOwnDo) {
  const std::vector<std::string> words = {"--num-devices=2", "--threads=1", "--optimizer=momentum",
                                          "--init-learning-rate=0.01"};
  const Ran ran = train_with(plainest(), words);
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  const RunResult theirs = read_result(path("r.json"));
  std::vector<std::string> own_words = {"--result", path("own.json")};
  own_words.insert(own_words.end(), words.begin(), words.end());
  ASSERT_EQ(run(train(own_words)).exit_code(), 0);
  const RunResult own = read_result(path("own.json"));

  EXPECT_FALSE(theirs.facts.communicator.empty());
  ASSERT_EQ(theirs.ranks.size(), 2u);
  for (size_t rank = 0; rank < 2; ++rank) {
    ASSERT_EQ(theirs.ranks[rank].steps.size(), 6u);
    for (size_t step = 0; step < 6; ++step) {
      const double loss = own.ranks[rank].steps[step].losses.base_loss;
      EXPECT_NEAR(theirs.ranks[rank].steps[step].losses.base_loss, loss, 1e-3 * loss)
          << "rank " << rank << " step " << step;
    }
  }
}

TEST_P(FrameworkRuns, ALossThatIsNotANumberEndsTheRun) {
  const Ran ran = train_with(plainest(), {"--init-learning-rate=1e30"});
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr(std::string(GetParam().title) + ": the loss of step "),
                             HasSubstr(" is not a number")));
}

// Two workers; once they train, the Python of rank 1 gets a signal. Returns what the run said.
std::string FrameworkRuns::train_and_signal(int signal) const {
  const std::string mark = "FRAMEWORK_TEST=" + directory_.string();
  const Command command = {
      .name = "the run",
      .argv = train({"--num-devices=2", "--threads=1", "--num-batches=20000", "--display-every=1",
                     "--stall-timeout=20", "--framework", plainest(), "--python",
                     script(mark + " exec " + python() + " \"$@\"")}),
      .directory = directory_.string()};
  std::string said;
  bool done = false;
  const PlanOutcome outcome = run_commands(
      std::span(&command, 1), {.time = Seconds(300)}, {.line = [&](const OutputLine& line) {
        said += line.text + "\n";
        if (!done && line.text.starts_with("1\t")) {
          done = true;
          for (const pid_t each : processes_with(mark, "LOCKSTEP_RANK=1")) kill(each, signal);
        }
        return Next::Continue;
      }});
  EXPECT_TRUE(done) << said;
  EXPECT_EQ(outcome.end, RunEnd::Failed);
  EXPECT_TRUE(processes_with(mark, "").empty());
  return said;
}

TEST_P(FrameworkRuns, AKilledPythonEndsTheRunWithItsRank) {
  EXPECT_THAT(train_and_signal(SIGKILL), AllOf(HasSubstr("rank 1"), HasSubstr("signal 9")));
}

// Or before: TensorFlow's own heartbeat may notice it first.
TEST_P(FrameworkRuns, AHungPythonEndsTheRunAfterTheTimeout) {
  const std::string title(GetParam().title);
  EXPECT_THAT(train_and_signal(SIGSTOP),
              AnyOf(AllOf(HasSubstr(title + " has reported no step for "),
                          HasSubstr("--stall-timeout is 20 s")),
                    HasSubstr(title + " failed: ")));
}

TEST_P(FrameworkRuns, APythonWithoutTheFrameworkIsNamed) {
  const std::string module(GetParam().module);
  script("echo \"ModuleNotFoundError: No module named '" + module + "'\" >&2; exit 1");
  const Ran ran = run(train({"--framework", plainest(), "--python", path("python")}));
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("No module named '" + module + "'"));
  EXPECT_THAT(ran.err, HasSubstr(std::string(GetParam().install)));
}

TEST_P(FrameworkRuns, WhatAFrameworkLacksIsRefused) {
  const Ran ran =
      run(train({"--framework", name(), "--variable-update=parameter_server", "--optimizer=adam"}));
  EXPECT_EQ(ran.exit_code(), 2);
  EXPECT_THAT(
      ran.err,
      HasSubstr("--variable-update parameter_server is not supported with --framework " + name()));
  EXPECT_THAT(ran.err, HasSubstr("--optimizer adam is not supported with --framework " + name()));
}

INSTANTIATE_TEST_SUITE_P(All, FrameworkRuns,
                         ::testing::ValuesIn(frameworks().begin(), frameworks().end()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace lockstep
