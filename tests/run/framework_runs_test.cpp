// `train --framework` with real frameworks: what every one of them must do.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "framework/frameworks.h"
#include "measure/cores.h"
#include "process/processes.h"
#include "report/results/run_result.h"
#include "run/framework_process.h"
#include "run/planted_errors.h"
#include "support/paths.h"

namespace lockstep {

void PrintTo(const Framework& framework, std::ostream* out) { *out << framework.name; }

namespace {

const auto kSame =
    ::testing::ContainsRegex("same network: losses agree to [-0-9.e]+, gradients to [-0-9.e]+");

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;
using ::testing::StartsWith;

// The native engine, which computes the losses to compare with, binds threads to single cores.
TEST_F(FrameworkProcess, MayUseAllCoresOfItsWorker) {
  const CoreSet cores = allowed_cores();
  const std::string python =
      script("sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status > cores; exit 1");
  run(train({"--framework=pytorch:eager", "--python", python, "--threads",
             fmt::to_string(cores.size())}));
  EXPECT_EQ(contents(path("cores")), core_text(cores) + "\n");
}

// Whatever pools of threads it has.
TEST_F(FrameworkProcess, ComputingAloneUsesAsManyCoresAsThreads) {
  const std::string python = script("nproc > cores; exit 1");
  run(train({"--framework=tensorflow:function", "--python", python, "--threads=1"}));
  EXPECT_EQ(contents(path("cores")), "1\n");
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

// Legal, but in no network of ours: results that may not be computed in place of their input, as
// another layer or a backward needs it, and uneven pads that no rounding of a size gives.
constexpr const char* kUnusualNetwork = R"(
image_size = 8
dataset = "cifar10"
layers = [
  { activation = "relu" },
  { conv = 16, kernel = 3, activation = "none" },
  { add = [[{ conv = 16, kernel = 3, activation = "none" }], [{ activation = "relu" }]] },
  { activation = "relu" },
  { dropout = 0 },
  { activation = "relu6" },
  { concat = [
    [{ max_pool = 2, stride = 1, padding = "same" }],
    [{ activation = "relu" }, { average_pool = 4, stride = 1, padding = "same" }],
  ] },
  { conv = 16, kernel = 3, activation = "none" },
  { max_pool = [3, 1], stride = 2, padding = "same" },
  { average_pool = [1, 2], stride = 1, padding = "same" },
  { max_pool = 2, stride = 3, padding = "same_resnet" },
  { classify = true },
]
)";

TEST_P(FrameworkRuns, TrainNetworksThatNobodyPublished) {
  std::ofstream(path("unusual.toml")) << kUnusualNetwork;
  const Ran ran = train_with(plainest(), {"--model=unusual.toml", "--num-batches=2"});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.err, kSame);
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

// They would cost memory, and time in every step. PyTorch and MXNet make them when they are used.
TEST_F(FrameworkProcess, OnlyMomentumHasMomenta) {
  const std::string edit =
      R"(s/^def train(job, training):/&\n    print(len(training.momenta), "sums")/)";
  for (const std::string framework : {"jax:jit", "tensorflow:function"}) {
    const std::string python = framework_python(framework.substr(0, framework.find(':')));
    if (!std::filesystem::exists(python)) GTEST_SKIP() << "no python of " << framework;
    std::ofstream(path("edit")) << edit << "\n";
    script("sed -i -f edit $(dirname $1)/lockstep_job.py; exec " + python + " \"$@\"");
    const auto said_with = [&](const std::string& optimizer) {
      return run(train({"--framework", framework, "--python", path("python"), "--num-batches=1",
                        "--verbose", "--optimizer", optimizer}))
          .err;
    };
    EXPECT_THAT(said_with("sgd"), HasSubstr("\n0 sums\n")) << framework;
    EXPECT_THAT(said_with("momentum"), ContainsRegex("\n[1-9][0-9]* sums\n")) << framework;
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
  for (const std::string& mode : modes_of(GetParam())) {
    EXPECT_THAT(ran.err, HasSubstr(fmt::format("in mode {}: ", mode)));
  }
  EXPECT_THAT(ran.err, kSame);
}

// Any two modes are close here.
TEST_P(FrameworkRuns, TheBestTwoModesTryAgainIfTheyAreClose) {
  const std::string patient =
      script("sed -i 's/^CLOSE = .*/CLOSE = 1e9/' $(dirname $1)/lockstep_job.py; exec " + python() +
             " \"$@\"");
  const Ran ran =
      run(train({"--framework", name(), "--python", patient, "--num-batches=2", "--verbose"}));
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  const std::vector<std::string> lines = split(ran.err, '\n');
  const auto trials = std::ranges::count_if(
      lines, [](const std::string& line) { return line.starts_with("mode "); });
  EXPECT_EQ(trials, std::ssize(modes_of(GetParam())) + 2) << ran.err;
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

// An address that no machine has is told to JAX's Gloo, which would find one of its own.
TEST_F(FrameworkProcess, JaxListensWhereItIsTold) {
  const std::string python = framework_python("jax");
  if (!std::filesystem::exists(python))
    GTEST_SKIP() << "no JAX; './run frameworks jax' installs it";
  const std::string elsewhere =
      script("sed -i 's/host = address.*/host = \"192.0.2.1\"/' $1; exec " + python + " \"$@\"");
  const Ran ran =
      run(train({"--framework=jax:jit", "--python", elsewhere, "--num-devices=2", "--threads=1"}));
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("192.0.2.1"));
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
