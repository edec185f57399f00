// `train --framework` with real frameworks: what every one of them must do.
#include <csignal>
#include <filesystem>
#include <fstream>

#include "framework/frameworks.h"
#include "measure/cores.h"
#include "process/processes.h"
#include "report/results/results_store.h"
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
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;
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

// What lockstep finds in place of a framework: a script of the user that says these events.
class ScriptRuns : public FrameworkProcess {
 protected:
  static constexpr const char* kHello =
      R"(echo '@lockstep/1 {"event": "hello", "framework": "mine", "version": "1"}')";
  static constexpr const char* kDone = R"(echo '@lockstep/1 {"event": "done"}')";
  static std::string steps(int count) {
    return fmt::format(R"(for i in $(seq {}); do
      echo "@lockstep/1 {{\"event\": \"step\", \"step\": $i, \"begin\": $i, \"end\": $i.5}}"
    done)",
                       count);
  }
  Ran run_script(const std::string& events, const std::vector<std::string>& more = {}) const {
    std::ofstream(path("mine.py")) << "# run by a shell here\n";
    std::vector<std::string> words = {"--framework=./mine.py", "--python", script(events)};
    words.insert(words.end(), more.begin(), more.end());
    return run(train(words));
  }
};

TEST_F(ScriptRuns, AScriptThatDoesAllIsMeasured) {
  const Ran ran = run_script(fmt::format("{}\n{}\n{}", kHello, steps(8), kDone));
  EXPECT_EQ(ran.exit_code(), 0) << ran.err;
}

TEST_F(ScriptRuns, AScriptThatEndsEarlyFailsAlthoughItsExitCodeIsZero) {
  const std::pair<std::string, const char*> cases[] = {
      {fmt::format("{}\n{}\n{}", kHello, steps(5), kDone), "the script ended after 5 of 8 steps"},
      {fmt::format("{}\n{}\n{}", kHello, steps(0), kDone), "the script ended after 0 of 8 steps"},
      {fmt::format("{}\n{}\n{}", kHello, steps(9), kDone), "the script ended after 9 of 8 steps"},
      {fmt::format("{}\n{}", kHello, steps(8)), "the script ended without a 'done' event"},
      {fmt::format("{}\n{}", steps(8), kDone), "the script ended without a 'hello' event"}};
  for (const auto& [events, message] : cases) {
    const Ran ran = run_script(events);
    EXPECT_EQ(ran.exit_code(), 1) << message;
    EXPECT_THAT(ran.err, HasSubstr(message));
  }
}

TEST_F(ScriptRuns, AScriptOnAnotherDeviceFails) {
  const Ran ran = run_script(
      R"(echo '@lockstep/1 {"event": "hello", "framework": "m", "version": "1", "device": "cuda:0"}')");
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("the script computes on cuda:0, not on cpu"));
}

// The survey asks for a version, which this python does not know.
TEST_F(ScriptRuns, AScriptTakesPartInASweep) {
  std::ofstream(path("mine.py")) << "# run by a shell here\n";
  const std::string python = script(fmt::format(
      "[ \"$1\" = -c ] && {{ echo 3; echo cpu; exit; }}\n{}\n{}\n{}", kHello, steps(4), kDone));
  const Ran ran =
      run({lockstep_program(), "sweep", "--frameworks=lockstep,./mine.py", "--python=" + python,
           "--models=lenet:4", "--num-batches=3", "--num-warmup-batches=1", "--repeats=2",
           "--num-devices=1", "--threads=1", "--output=" + path("out")});
  EXPECT_EQ(ran.exit_code(), 0) << ran.err;
  int measured = 0;
  for (const StoredRun& run : read_store(path("out")).runs) {
    measured += run.measured() && run.result.config.framework == "./mine.py" ? 1 : 0;
  }
  EXPECT_EQ(measured, 2);
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
    EXPECT_THAT(ran.err, AllOf(kSame, Not(HasSubstr("diverges")))) << model;
    const RunResult result = read_result(path("r.json"));
    EXPECT_THAT(result.origin, StartsWith("framework " + name() + " ")) << model;
    EXPECT_EQ(result.steps.size(), 2u) << model;
  }
}

// Each mode may build the network in its own way.
TEST_P(FrameworkRuns, EveryModeTrainsTheSameNetwork) {
  for (const std::string& mode : modes_of(GetParam())) {
    const Ran ran = train_with(fmt::format("{}:{}", name(), mode),
                               {"--model=cifar10_alexnet", "--num-batches=2"});
    ASSERT_EQ(ran.exit_code(), 0) << mode << "\n" << ran.err;
    EXPECT_THAT(ran.err, kSame) << mode;
  }
}

// With batch normalisation, whose moving averages every rank keeps for itself. With momentum, so
// that a wrong average of gradients shows in the last losses.
TEST_P(FrameworkRuns, EveryModeTrainsTheSameOnTwoWorkers) {
  std::vector<double> first;
  for (const std::string& mode : modes_of(GetParam())) {
    const Ran ran = train_with(fmt::format("{}:{}", name(), mode),
                               {"--model=resnet20", "--num-batches=3", "--num-devices=2",
                                "--threads=1", "--optimizer=momentum"});
    ASSERT_EQ(ran.exit_code(), 0) << mode << "\n" << ran.err;
    EXPECT_THAT(ran.err, kSame) << mode;
    std::vector<double> losses;
    for (const RankResult& rank : read_result(path("r.json")).ranks) {
      for (const StepRecord& step : rank.steps) losses.push_back(step.losses.base_loss);
    }
    if (first.empty()) first = losses;
    EXPECT_THAT(losses, Pointwise(DoubleNear(1e-3), first)) << mode;
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
