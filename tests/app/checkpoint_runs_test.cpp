// Real runs that end, are killed and go on: nothing is lost but the steps since the last
// checkpoint.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <csignal>

#include "app/real_runs.h"
#include "data/samples.h"
#include "launch/process.h"
#include "report/run_result.h"
#include "train/checkpoint_files.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

class CheckpointRuns : public ::testing::Test {
 protected:
  static Words train(const Words& more) {
    Words words = {LOCKSTEP_PROGRAM, "train", "--batch-size=4", "--num-warmup-batches=0",
                   "--threads=1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // `steps` in all, in the directory `name`.
  Ran train_to(int steps, const std::string& name, Words more) const {
    more.push_back(fmt::format("--num-batches={}", steps));
    more.push_back("--train-dir=" + directory.path(name));
    Ran ran = run_really(train(more));
    EXPECT_EQ(ran.outcome.end, RunEnd::Completed) << ran.outcome.why << "\n" << ran.err;
    return ran;
  }
  // Six steps at once leave the same file as three and three.
  void expect_the_same_in_two_parts(const std::string& name, const Words& options) {
    const std::string whole = name + "-whole", parts = name + "-parts";
    train_to(6, whole, options);
    train_to(3, parts, options);
    const Ran second = train_to(6, parts, options);
    EXPECT_THAT(second.err, HasSubstr("going on from"));
    const ByteBuffer expected = read_file(directory.path(whole + "/model.ckpt-6"));
    ASSERT_FALSE(expected.empty());
    EXPECT_TRUE(read_file(directory.path(parts + "/model.ckpt-6")) == expected) << name;
  }
  // Of step 0 when there is none.
  CheckpointFacts newest(const std::string& name) const {
    const auto found = newest_checkpoint(directory.path(name), [](const std::string& line) {
      ADD_FAILURE() << line;  // none may be damaged
    });
    return found ? found->checkpoint.facts() : CheckpointFacts{};
  }

  TemporaryDirectory directory;
};

TEST_F(CheckpointRuns, AreTheSameToTheLastBitOnOneDevice) {
  // mnist drops values; resnet20 has moving averages.
  expect_the_same_in_two_parts("mnist", {"--model=mnist", "--optimizer=adam"});
  expect_the_same_in_two_parts("resnet20", {"--model=resnet20", "--optimizer=momentum"});
  expect_the_same_in_two_parts(
      "pipeline", {"--model=lenet", "--optimizer=rmsprop", "--synthetic-location=pipeline"});
}

TEST_F(CheckpointRuns, AreTheSameToTheLastBitOnTwoDevices) {
  expect_the_same_in_two_parts("replicated",
                               {"--model=lenet", "--optimizer=momentum", "--num-devices=2"});
  expect_the_same_in_two_parts("servers", {"--model=lenet", "--optimizer=adam", "--num-devices=2",
                                           "--variable-update=parameter_server", "--num-ps=2"});
}

TEST_F(CheckpointRuns, GoOnWithAnotherNumberOfDevices) {
  const Words options = {"--model=resnet20", "--optimizer=momentum"};
  const auto with = [&](Words more) {
    more.insert(more.end(), options.begin(), options.end());
    return more;
  };
  train_to(2, "t", with({"--num-devices=2"}));
  EXPECT_EQ(newest("t").examples, 2 * 8);
  train_to(4, "t", with({}));
  EXPECT_EQ(newest("t").examples, 2 * 8 + 2 * 4);
  train_to(6, "t", with({"--num-devices=2", "--variable-update=parameter_server"}));
  EXPECT_EQ(newest("t").step, 6);
  EXPECT_EQ(newest("t").examples, 2 * 8 + 2 * 4 + 2 * 8);
}

TEST_F(CheckpointRuns, AFinishedRunHasNothingToDo) {
  train_to(2, "t", {"--model=lenet"});
  EXPECT_THAT(train_to(2, "t", {"--model=lenet"}).err, HasSubstr("nothing is left to do"));
  for (const char* place : {"--ps-in-worker", "--no-ps-in-worker"}) {
    const Ran ran = train_to(
        2, "t", {"--model=lenet", "--variable-update=parameter_server", "--num-devices=2", place});
    EXPECT_THAT(ran.err, HasSubstr("nothing is left to do")) << place;
  }
}

TEST_F(CheckpointRuns, TheNewestSoManyAreKeptOverBothRuns) {
  const Words options = {"--model=trivial", "--data-name=cifar10", "--save-model-steps=2",
                         "--max-ckpts-to-keep=3"};
  train_to(10, "t", options);
  train_to(20, "t", options);
  std::vector<int64_t> steps;
  for (const CheckpointFile& file : list_checkpoints(directory.path("t"))) {
    steps.push_back(file.step);
  }
  EXPECT_EQ(steps, (std::vector<int64_t>{16, 18, 20}));
}

// Whoever waits for rank 0 to write waits between two steps, not in one.
TEST_F(CheckpointRuns, ByTimeAreMadeBetweenStepsOnAllDevices) {
  for (const char* devices : {"--num-devices=1", "--num-devices=2"}) {
    const std::string file = directory.path("r.json");
    train_to(20, devices,
             {"--model=lenet", devices, "--save-model-secs=0.001", "--display-every=1",
              "--max-ckpts-to-keep=0", "--result=" + file});
    EXPECT_GE(list_checkpoints(directory.path(devices)).size(), 5u) << devices;
    const RunResult result = read_result(file);
    EXPECT_GT(result.throughput.checkpoint_seconds, 0) << devices;
    double steps = 0;
    for (const double seconds :
         durations(result.ranks.empty() ? result.steps : result.ranks[0].steps)) {
      steps += seconds;
    }
    EXPECT_LE(steps + result.throughput.checkpoint_seconds, result.throughput.total_seconds);
  }
}

TEST_F(CheckpointRuns, ATornCheckpointIsPassedOverWithAWarning) {
  const Words options = {"--model=lenet", "--save-model-steps=1"};
  train_to(3, "t", options);
  const std::string torn = directory.path("t/model.ckpt-3");
  std::filesystem::resize_file(torn, std::filesystem::file_size(torn) / 2);
  const Ran ran = train_to(4, "t", options);
  EXPECT_THAT(ran.err, HasSubstr("warning: " + torn));
  EXPECT_THAT(ran.err, HasSubstr("model.ckpt-2: step 2"));
  EXPECT_EQ(newest("t").step, 4);
}

TEST_F(CheckpointRuns, AnotherNetworkOrOptimizerIsRefused) {
  train_to(1, "t", {"--model=lenet"});
  const auto error = [&](const Words& options) {
    Words words = train(options);
    words.push_back("--train-dir=" + directory.path("t"));
    const Ran ran = run_really(words);
    EXPECT_THAT(ran.outcome.why, HasSubstr("exit code 2"));
    return ran.err;
  };
  EXPECT_THAT(error({"--model=resnet20"}),
              HasSubstr("is of lenet for imagenet, and this run is of"));
  EXPECT_THAT(error({"--model=resnet20", "--num-devices=2"}), HasSubstr("is of lenet"));
  EXPECT_THAT(error({"--model=lenet", "--optimizer=adam"}),
              HasSubstr("was trained with --optimizer sgd"));
}

// The line of a step is written before its checkpoint: whoever reads it and kills the run finds at
// least the checkpoint of the step before.
TEST_F(CheckpointRuns, KilledAtAnyMomentLoseAtMostTheStepsSinceTheLast) {
  int64_t begin = 0;
  for (const int lines : {1, 4, 2, 7}) {
    int64_t seen = begin;
    pid_t process = 0;
    const Command command = {
        .name = "it",
        .argv = {"sh", "-c",
                 fmt::format("echo $$; exec {} train --model=lenet --batch-size=4 --threads=1 "
                             "--num-warmup-batches=0 --num-batches=100000 --display-every=1 "
                             "--save-model-steps=1 --train-dir={}",
                             LOCKSTEP_PROGRAM, directory.path("t"))}};
    run_commands(std::span(&command, 1), {.time = Seconds(300)},
                 {.line = [&](const OutputLine& line) {
                   if (process == 0) process = std::stoi(line.text);
                   if (line.text.find("images/sec:") == std::string::npos) return Next::GoOn;
                   if (++seen == begin + lines) kill(process, SIGKILL);
                   return Next::GoOn;
                 }});
    const CheckpointFacts facts = newest("t");
    EXPECT_GE(facts.step, begin + lines - 1);
    EXPECT_EQ(facts.examples, facts.step * 4);
    begin = facts.step;
  }
}

}  // namespace
}  // namespace lockstep
