// Real runs that end, are killed and go on: nothing is lost but the steps since the last
// checkpoint.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <csignal>

#include "data/samples.h"
#include "process/process.h"
#include "process/processes.h"
#include "report/results/run_result.h"
#include "support/paths.h"
#include "support/real_runs.h"
#include "train/checkpoint_files.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

class CheckpointRuns : public ::testing::Test {
 protected:
  static Words train(const Words& more) {
    Words words = {lockstep_program(), "train", "--batch-size=4", "--num-warmup-batches=0",
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
    EXPECT_THAT(second.err, HasSubstr("resuming from"));
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

// What was read, in which order and how it was changed is taken up too, damage included.
TEST_F(CheckpointRuns, AreTheSameToTheLastBitOnStoredImages) {
  ASSERT_EQ(run_really({lockstep_program(), "data", "make", directory.path("set"), "--images=21",
                        "--shards=3", "--classes=10", "--height=48", "--width=64"})
                .outcome.end,
            RunEnd::Completed);
  const std::string shard = directory.path("set/train-00001-of-00003");
  ByteBuffer bytes = read_file(shard);
  bytes[200] ^= 1;
  write_file(shard, bytes);
  for (const char* devices : {"--num-devices=1", "--num-devices=3"}) {
    expect_the_same_in_two_parts(
        fmt::format("stored{}", devices),
        {"--model=lenet", "--optimizer=momentum", "--distortions", "--resize-method=round_robin",
         "--skip-corrupt", "--cache", "--data-threads=2", "--data-dir=" + directory.path("set"),
         devices});
  }
}

TEST_F(CheckpointRuns, ResumeWithAnotherNumberOfDevices) {
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
  train_to(8, "t", with({"--num-devices=3"}));
  EXPECT_EQ(newest("t").examples, 2 * 8 + 2 * 4 + 2 * 8 + 2 * 12);
}

TEST_F(CheckpointRuns, ADirectoryThatAnotherRunUsesIsRefused) {
  std::filesystem::create_directory(directory.path("t"));
  const DirectoryLock another(directory.path("t"));
  const Ran ran = run_really(train({"--model=lenet", "--num-batches=1", "--num-devices=2",
                                    "--train-dir=" + directory.path("t")}));
  EXPECT_THAT(ran.outcome.why, HasSubstr("exit code 2"));
  EXPECT_EQ(ran.err, "lockstep: another run is using " + directory.path("t") +
                         "; wait for it or use another --train-dir\n");
}

TEST_F(CheckpointRuns, AFinishedRunHasNothingToDo) {
  train_to(2, "t", {"--model=lenet"});
  EXPECT_THAT(train_to(2, "t", {"--model=lenet"}).err, HasSubstr("training is complete"));
  for (const char* identity : {"--ps-in-worker", "--no-ps-in-worker"}) {
    const Ran ran = train_to(
        2, "t",
        {"--model=lenet", "--variable-update=parameter_server", "--num-devices=2", identity});
    EXPECT_THAT(ran.err, HasSubstr("training is complete")) << identity;
  }
}

TEST_F(CheckpointRuns, TheNewestAreKeptAcrossBothRuns) {
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

// Whoever waits for rank 0 to write waits between two steps, not for communication.
TEST_F(CheckpointRuns, TimedCheckpointsAreWrittenBetweenStepsOnAllDevices) {
  for (const char* devices : {"--num-devices=1", "--num-devices=2"}) {
    const std::string file = directory.path("r.json");
    train_to(20, devices,
             {"--model=lenet", devices, "--save-model-secs=0.001", "--display-every=1",
              "--max-ckpts-to-keep=0", "--result=" + file});
    EXPECT_GE(list_checkpoints(directory.path(devices)).size(), 5u) << devices;
    const RunResult result = read_result(file);
    EXPECT_GT(result.throughput.checkpoint_seconds, 0) << devices;
    double steps = 0, between = 0;
    for (const StepRecord& step : result.ranks.empty() ? result.steps : result.ranks[0].steps) {
      steps += step.duration.count();
      between += step.phase(Phase::Between).count();
    }
    const double total =
        result.ranks.empty() ? result.throughput.total_seconds : result.ranks[0].total.count();
    EXPECT_NEAR(steps, total, 1e-6 * total) << devices;
    EXPECT_GE(between, 0.99 * result.throughput.checkpoint_seconds) << devices;
  }
}

TEST_F(CheckpointRuns, ATornCheckpointIsIgnoredWithAWarning) {
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
              HasSubstr("is a checkpoint of lenet for imagenet; this run trains"));
  EXPECT_THAT(error({"--model=resnet20", "--num-devices=2"}),
              HasSubstr("is a checkpoint of lenet"));
  EXPECT_THAT(error({"--model=lenet", "--optimizer=adam"}),
              HasSubstr("was trained with --optimizer sgd"));
}

// The line of a step is written before its checkpoint: whoever reads it and kills the run finds at
// least the checkpoint of the step before.
class KilledRuns : public CheckpointRuns {
 protected:
  // Of the processes of a run, those with this in their environment, after so many steps.
  struct Kill {
    const char* victims;
    int steps;
  };
  void expect_no_loss(int devices, const std::vector<Kill>& kills) {
    int64_t begin = 0;
    for (const Kill& kill : kills) {
      run_and_kill(devices, kill);
      const CheckpointFacts facts = newest("t");
      EXPECT_GE(facts.step, begin + kill.steps - 1) << kill.victims;
      EXPECT_EQ(facts.examples, facts.step * 4 * devices);
      begin = facts.step;
    }
  }

 private:
  void run_and_kill(int devices, const Kill& wish) const {
    int steps = 0;
    const Command command = {
        .name = "it",
        .argv = train({"--model=lenet", "--num-batches=100000", "--display-every=1",
                       "--save-model-steps=1", "--train-dir=" + directory.path("t"),
                       fmt::format("--num-devices={}", devices)}),
        .env = {{"KILLED_RUNS_TEST", directory.path().string()}},
        .directory = directory.path().string()};
    const PlanOutcome outcome = run_commands(
        std::span(&command, 1), {.time = Seconds(300)}, {.line = [&](const OutputLine& line) {
          if (line.text.find("images/sec:") == std::string::npos) return Next::Continue;
          if (++steps != wish.steps) return Next::Continue;
          for (const pid_t process :
               processes_with("KILLED_RUNS_TEST=" + directory.path().string(), wish.victims)) {
            kill(process, SIGKILL);
          }
          return Next::Continue;
        }});
    EXPECT_EQ(outcome.end, RunEnd::Failed);
    EXPECT_GE(steps, wish.steps);
  }
};

TEST_F(KilledRuns, LoseAtMostTheStepsSinceTheLastCheckpoint) {
  expect_no_loss(1, {{"", 1}, {"", 4}, {"", 2}, {"", 7}});
}

// Whoever is killed: the rank that writes, the one that does not, or all with their launcher.
TEST_F(KilledRuns, OnTwoDevicesLoseAtMostTheStepsSinceTheLastCheckpoint) {
  expect_no_loss(2,
                 {{"LOCKSTEP_RANK=0", 3}, {"LOCKSTEP_RANK=1", 2}, {"", 4}, {"LOCKSTEP_RANK=", 1}});
}

}  // namespace
}  // namespace lockstep
