// Several real processes of the real program on this machine.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "launch/ports.h"
#include "launch/run_commands.h"
#include "report/run_result.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct Ran {
  PlanOutcome outcome;
  std::string out, err;
};

class Workers : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lockstep-workers-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  static Ran run(std::vector<std::string> argv) {
    Ran ran;
    const Command command = {.name = "it", .argv = std::move(argv)};
    ran.outcome = run_commands(std::span(&command, 1), {.time = Seconds(300)},
                               {.line = [&](const OutputLine& line) {
                                 (line.from_stderr ? ran.err : ran.out) += line.text + "\n";
                                 return Next::GoOn;
                               }});
    return ran;
  }

  static std::vector<std::string> train(const std::vector<std::string>& more) {
    std::vector<std::string> words = {
        LOCKSTEP_PROGRAM,           "train",           "--model=lenet",
        "--batch-size=4",           "--num-batches=6", "--num-warmup-batches=2",
        "--init-learning-rate=1e-7"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  static std::string two_free_addresses() {
    const std::vector<int> ports = free_ports(2);
    return fmt::format("127.0.0.1:{},127.0.0.1:{}", ports[0], ports[1]);
  }

  fs::path directory_;
};

TEST_F(Workers, TwoDevicesAreOneRunWithOneVoice) {
  const Ran ran =
      run(train({"--num-devices=2", "--result", path("r.json"), "--trace-file", path("t.json")}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Batch size:  8 global\n             4 per device\n"));
  EXPECT_THAT(ran.out, HasSubstr("Nodes: 1; Devices per node: 2; Images/sec: "));
  EXPECT_THAT(ran.err, HasSubstr("exposed communication"));
  const RunResult result = read_result(path("r.json"));
  EXPECT_EQ(result.facts.devices, 2);
  EXPECT_EQ(result.facts.communicator, "shm");
  ASSERT_EQ(result.ranks.size(), 2u);
  EXPECT_EQ(result.steps.size(), 6u);
  EXPECT_FALSE(result.transfers.empty());
  for (const RankResult& rank : result.ranks) {
    EXPECT_EQ(rank.steps.size(), 6u);
    EXPECT_EQ(rank.transfers.size(), 6 * result.transfers.size());
  }
  for (const StepRecord& step : result.steps) EXPECT_EQ(step.images, 8);
}

TEST_F(Workers, EfficiencyIsMeasuredOnTheSameDevices) {
  const Ran ran = run(train({"--num-devices=2", "--efficiency", "--result", path("r.json")}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  const RunResult result = read_result(path("r.json"));
  ASSERT_TRUE(result.independent.has_value());
  EXPECT_EQ(result.independent->steps, 6);
  EXPECT_NEAR(result.independent->efficiency * result.independent->images_per_second,
              result.throughput.total_images_per_second, 1e-6);
}

TEST_F(Workers, EveryBackendOfOneMachineTrains) {
  for (const char* communicator : {"shm", "gloo", "hierarchical"}) {
    const Ran ran =
        run(train({"--num-devices=2", "--interface=lo", "--communicator", communicator}));
    EXPECT_EQ(ran.outcome.end, RunEnd::Completed) << communicator << "\n" << ran.err;
  }
}

TEST_F(Workers, MpirunGivesEveryProcessItsPlace) {
  std::vector<std::string> words = {"mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "2"};
  for (const std::string& word : train({"--variable-update=horovod", "--result", path("r.json")})) {
    words.push_back(word);
  }
  const Ran ran = run(words);
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  EXPECT_EQ(read_result(path("r.json")).ranks.size(), 2u);
}

TEST_F(Workers, TheUserMayStartEveryProcess) {
  const std::string hosts = two_free_addresses();
  std::vector<Command> plan;
  for (const char* index : {"0", "1"}) {
    plan.push_back(
        {.name = std::string("worker ") + index,
         .argv = train({"--job-name=worker", "--task-index", index, "--worker-hosts", hosts})});
  }
  EXPECT_EQ(run_commands(plan, {.time = Seconds(300)}, {}).end, RunEnd::Completed);
}

TEST_F(Workers, ThatDisagreeAreRefusedWithBothSidesNamed) {
  const std::string hosts = two_free_addresses();
  std::string said;
  std::vector<Command> plan;
  for (const char* index : {"0", "1"}) {
    plan.push_back({.name = std::string("worker ") + index,
                    .argv = train({"--job-name=worker", "--task-index", index, "--worker-hosts",
                                   hosts, "--momentum", std::string("0.") + index})});
  }
  const PlanOutcome outcome =
      run_commands(plan, {.time = Seconds(300)}, {.line = [&](const OutputLine& line) {
                     said += line.text + "\n";
                     return Next::GoOn;
                   }});
  EXPECT_EQ(outcome.end, RunEnd::Failed);
  EXPECT_THAT(said, HasSubstr("--momentum differs: '0' on rank 0"));
  EXPECT_THAT(said, HasSubstr("'0.1' on rank 1"));
}

TEST_F(Workers, WhatIsWrongIsSaidOnceBeforeAnyStarts) {
  const Ran ran = run(train({"--num-devices=4", "--num-batches=1", "--num-epochs=1"}));
  EXPECT_EQ(ran.outcome.end, RunEnd::Failed);
  EXPECT_EQ(ran.err,
            "lockstep: --num-batches and --num-epochs both say how long to train; give "
            "one of them\n");
}

// Ends one of the processes that the program started, by id, once they train.
TEST_F(Workers, AKilledWorkerEndsTheRunWithItsName) {
  const Command command = {.name = "it",
                           .argv = train({"--num-devices=2", "--num-batches=1000000", "--verbose"}),
                           .env = {{"WORKERS_TEST", directory_.string()}}};
  std::string said;
  bool killed = false;
  const PlanOutcome outcome = run_commands(
      std::span(&command, 1), {.time = Seconds(300)}, {.line = [&](const OutputLine& line) {
        said += line.text + "\n";
        if (!killed && line.text.find("rank 1") != std::string::npos &&
            line.text.find("images/sec") != std::string::npos) {
          // The launcher's children: their parent is the command that this test started.
          for (const auto& entry : fs::directory_iterator("/proc")) {
            std::ifstream environment(entry.path() / "environ");
            const std::string text{std::istreambuf_iterator<char>(environment), {}};
            const bool ours = text.find("LOCKSTEP_RANK=1") != std::string::npos &&
                              text.find("WORKERS_TEST=" + directory_.string()) != std::string::npos;
            if (ours) {
              kill(std::stoi(entry.path().filename()), SIGKILL);
              killed = true;
            }
          }
        }
        return Next::GoOn;
      }});
  EXPECT_TRUE(killed);
  EXPECT_EQ(outcome.end, RunEnd::Failed);
  EXPECT_THAT(said, HasSubstr("rank 1"));
  EXPECT_THAT(said, HasSubstr("signal 9"));
}

}  // namespace
}  // namespace lockstep
