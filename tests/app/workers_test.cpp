// Several real processes of the real program on this machine.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "app/real_runs.h"
#include "base/error.h"
#include "launch/ports.h"
#include "launch/processes.h"
#include "measure/host.h"
#include "report/run_result.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Workers : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  Ran run(std::vector<std::string> argv) const {
    return run_really(std::move(argv), directory_.string());
  }

  static std::vector<std::string> train(const std::vector<std::string>& more) {
    std::vector<std::string> words = {
        LOCKSTEP_PROGRAM,           "train",           "--model=lenet",
        "--batch-size=4",           "--num-batches=6", "--num-warmup-batches=2",
        "--init-learning-rate=1e-7"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  static std::string contents(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  static std::string two_free_addresses() {
    const std::vector<int> ports = free_ports(2);
    return fmt::format("127.0.0.1:{},127.0.0.1:{}", ports[0], ports[1]);
  }

  TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path();
};

TEST_F(Workers, TwoDevicesAreOneRunWithOneVoice) {
  const Ran ran =
      run(train({"--num-devices=2", "--result", path("r.json"), "--trace-file", path("t.json")}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Batch size:  8 global\n             4 per device\n"));
  EXPECT_THAT(ran.out, HasSubstr("Nodes: 1; Devices per node: 2; Images/sec: "));
  EXPECT_THAT(ran.out, HasSubstr("exposed communication"));
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

TEST_F(Workers, LogsAreKeptWhereTheUserWantsThem) {
  const Ran ran = run(train({"--num-devices=2", "--log-dir", path("logs")}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  const std::string host = read_host().name;
  EXPECT_THAT(contents(path("logs/rank-0-" + host + ".log")), HasSubstr("total images/sec"));
  EXPECT_TRUE(fs::exists(path("logs/rank-1-" + host + ".log")));
  EXPECT_EQ(run(train({"--num-devices=2", "--log-dir", "/proc/no"})).err,
            "lockstep: cannot make --log-dir /proc/no: No such file or directory\n");
}

TEST_F(Workers, ThatWentWellOnThisMachineLeaveNoLogs) {
  const Ran ran = run(train({"--num-devices=2"}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(Workers, ThatFailedSayWhereTheirLogsAre) {
  const Ran ran = run(train({"--num-devices=2", "--batch-size=100000000"}));
  EXPECT_EQ(ran.outcome.end, RunEnd::Failed);
  const size_t said = ran.err.rfind("logs: ");
  ASSERT_NE(said, std::string::npos) << ran.err;
  const fs::path logs = ran.err.substr(said + 6, ran.err.size() - said - 7);
  EXPECT_THAT(logs.string(), ::testing::MatchesRegex("lockstep-runs/[0-9]+-[0-9]+-lenet"));
  std::string ranks;  // whoever fails first ends the other
  for (const char* rank : {"rank-0-", "rank-1-"}) {
    ranks += contents(directory_ / logs / (rank + read_host().name + ".log"));
  }
  EXPECT_THAT(ranks, HasSubstr("the largest batch that fits is "));
  EXPECT_THAT(contents(directory_ / logs / "launcher.log"), HasSubstr("ended with exit code"));
}

TEST_F(Workers, ADryRunShowsEnvironmentAndCoresAndLeavesNothing) {
  const Ran ran = run(
      train({"--num-devices=1", "--num-ps=1", "--variable-update=parameter_server", "--dry-run"}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("cores 0"));
  EXPECT_THAT(ran.out, HasSubstr(": LOCKSTEP_RANK=1 LOCKSTEP_SIZE=2 "
                                 "LOCKSTEP_STORE=127.0.0.1:PORT LOCKSTEP_TOKEN=... "));
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(Workers, ThereIsOneThroughputWhereverItIsPrinted) {
  const Ran ran = run(train({"--num-devices=2", "--result", path("r.json")}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  const RunResult result = read_result(path("r.json"));
  double slowest = 0;
  for (const RankResult& rank : result.ranks) slowest = std::max(slowest, rank.total.count());
  const double rate = result.throughput.total_images_per_second;
  EXPECT_NEAR(rate, 6 * 8 / slowest, 1e-6 * rate);
  EXPECT_EQ(result.summary.images_per_second, rate);
  EXPECT_THAT(ran.out, HasSubstr(fmt::format("total images/sec: {:.2f}\n", rate)));
  EXPECT_THAT(ran.out, HasSubstr(fmt::format("{:.2f} images/sec, 95 % confidence", rate)));
}

TEST_F(Workers, EnoughPrecisionEndsARunOnAllRanksAtTheSameStep) {
  const Ran ran = run(train(
      {"--num-devices=2", "--precision=90%", "--num-batches=20000", "--result", path("r.json")}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  const RunResult result = read_result(path("r.json"));
  EXPECT_EQ(result.status, "completed");
  EXPECT_GE(result.steps.size(), 30u);
  EXPECT_LT(result.steps.size(), 20000u);
  for (const RankResult& rank : result.ranks) EXPECT_EQ(rank.steps.size(), result.steps.size());
  EXPECT_THAT(ran.out, HasSubstr(fmt::format("--precision 90%: reached after {} of 20000 steps",
                                             result.steps.size())));
}

TEST_F(Workers, EfficiencyIsMeasuredOnTheSameDevices) {
  const Ran ran = run(train({"--num-devices=2", "--efficiency", "--result", path("r.json")}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  const RunResult result = read_result(path("r.json"));
  ASSERT_TRUE(result.independent.has_value());
  EXPECT_EQ(result.independent->steps, 6);
  const Ran plain = run(train({"--num-devices=2", "--result", path("plain.json")}));
  ASSERT_EQ(plain.outcome.end, RunEnd::Completed) << plain.err;
  EXPECT_EQ(read_result(path("plain.json")).last_loss, result.last_loss);
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

// Each host may have a copy of the data.
TEST_F(Workers, WithDifferentDataAreRefused) {
  for (const char* name : {"0", "1"}) {
    ASSERT_EQ(run({LOCKSTEP_PROGRAM, "data", "make", path(name), "--images=6", "--shards=3",
                   "--height=32", "--width=32"})
                  .outcome.end,
              RunEnd::Completed);
  }
  fs::remove(path("1/train-00002-of-00003"));
  const std::string hosts = two_free_addresses();
  std::string said;
  std::vector<Command> plan;
  for (const char* index : {"0", "1"}) {
    plan.push_back({.name = std::string("worker ") + index,
                    .argv = train({"--job-name=worker", "--task-index", index, "--worker-hosts",
                                   hosts, "--data-dir", path(index)})});
  }
  const PlanOutcome outcome =
      run_commands(plan, {.time = Seconds(300)}, {.line = [&](const OutputLine& line) {
                     said += line.text + "\n";
                     return Next::GoOn;
                   }});
  EXPECT_EQ(outcome.end, RunEnd::Failed);
  EXPECT_THAT(said, HasSubstr("the training data in --data-dir differs: '6 examples in 3 files ("));
  EXPECT_THAT(said, HasSubstr("'4 examples in 2 files ("));
}

// Of a launcher on a machine that does not have it.
TEST_F(Workers, OnOtherHostsMayHaveDataThatIsNotHere) {
  const Ran there = run(train({"--hosts=somewhere,else", "--data-dir=/nowhere", "--dry-run"}));
  EXPECT_EQ(there.outcome.end, RunEnd::Completed) << there.err;
  EXPECT_THAT(there.out, HasSubstr("--data-dir=/nowhere"));
  const Ran here = run(train({"--num-devices=2", "--data-dir=/nowhere", "--dry-run"}));
  EXPECT_THAT(here.err, HasSubstr("cannot look into /nowhere"));
}

TEST_F(Workers, WhatIsWrongIsSaidOnceBeforeAnyStarts) {
  const Ran ran = run(train({"--num-devices=4", "--num-batches=1", "--num-epochs=1"}));
  EXPECT_EQ(ran.outcome.end, RunEnd::Failed);
  EXPECT_EQ(ran.err,
            "lockstep: --num-batches and --num-epochs both say how long to train; give "
            "one of them\n");
}

TEST_F(Workers, SlurmsVariablesGiveEveryTaskItsPlace) {
  std::vector<Command> plan;
  for (const char* task : {"0", "1"}) {
    plan.push_back({.name = std::string("task ") + task,
                    .argv = train({}),
                    .env = {{"SLURM_PROCID", task},
                            {"SLURM_STEP_NUM_TASKS", "2"},
                            {"SLURM_STEP_NODELIST", "localhost"},
                            {"SLURM_JOB_ID", std::to_string(getpid())},
                            {"SLURM_STEP_ID", "0"}}});
  }
  EXPECT_EQ(run_commands(plan, {.time = Seconds(300)}, {}).end, RunEnd::Completed);
}

TEST_F(Workers, EveryStrategyHasTheSameLosses) {
  double loss = 0;
  for (const char* strategy : {"replicated", "parameter_server", "distributed_replicated"}) {
    const Ran ran =
        run(train({"--num-devices=2", "--variable-update", strategy, "--result", path("r.json")}));
    ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << strategy << "\n" << ran.err;
    const double last = read_result(path("r.json")).last_loss;
    if (loss == 0) loss = last;
    EXPECT_NEAR(last, loss, 1e-4 * loss) << strategy;
  }
}

// What happens when, once all train, rank 1 gets a signal.
class Faults : public Workers {
 protected:
  PlanOutcome train_and_signal(int signal, const std::string& victim) {
    const std::string mark = "WORKERS_TEST=" + directory_.string();
    const Command command = {.name = "the run",
                             .argv = train({"--num-devices=2", "--num-batches=1000000", "--verbose",
                                            "--stall-timeout=4"}),
                             .env = {{"WORKERS_TEST", directory_.string()}},
                             .directory = directory_.string()};
    const PlanOutcome outcome = run_commands(
        std::span(&command, 1), {.time = Seconds(300)}, {.line = [&](const OutputLine& line) {
          said_ += line.text + "\n";
          const bool trains = line.text.find("images/sec") != std::string::npos;
          if (trains && !done_ && line.text.find("rank 1") != std::string::npos) {
            done_ = true;
            for (const pid_t process : processes_with(mark, victim)) kill(process, signal);
          }
          return Next::GoOn;
        }});
    EXPECT_TRUE(done_);
    EXPECT_TRUE(processes_with(mark, "LOCKSTEP_RANK").empty());
    return outcome;
  }

  std::string said_;
  bool done_ = false;
};

TEST_F(Faults, AKilledWorkerEndsTheRunWithItsName) {
  EXPECT_EQ(train_and_signal(SIGKILL, "LOCKSTEP_RANK=1").end, RunEnd::Failed);
  EXPECT_THAT(said_, HasSubstr("rank 1"));
  EXPECT_THAT(said_, ::testing::AnyOf(HasSubstr("signal 9"), HasSubstr("died")));
}

TEST_F(Faults, AStoppedWorkerEndsTheRunWithItsName) {
  EXPECT_EQ(train_and_signal(SIGSTOP, "LOCKSTEP_RANK=1").end, RunEnd::Failed);
  EXPECT_THAT(said_, HasSubstr("rank 1"));
  EXPECT_THAT(said_, HasSubstr("stopped"));
}

TEST_F(Faults, AnInterruptedRunReportsWhatItHas) {
  const std::string mark = "WORKERS_TEST=" + directory_.string();
  const Command command = {.name = "the run",
                           .argv = train({"--num-devices=2", "--num-batches=1000000", "--result",
                                          path("r.json"), "--variable-update=parameter_server"}),
                           .env = {{"WORKERS_TEST", directory_.string()}},
                           .directory = directory_.string(),
                           .expected_exit_code = 130};
  const PlanOutcome outcome = run_commands(
      std::span(&command, 1), {.time = Seconds(300)}, {.line = [&](const OutputLine& line) {
        if (!done_ && line.text.find("images/sec") != std::string::npos) {
          done_ = true;
          // A terminal tells the launcher alone: its workers are in groups of their own.
          const auto workers = processes_with(mark, "LOCKSTEP_RANK");
          for (const pid_t process : processes_with(mark, "")) {
            if (std::ranges::count(workers, process) == 0) kill(process, SIGINT);
          }
        }
        said_ += line.text + "\n";
        return Next::GoOn;
      }});
  EXPECT_EQ(outcome.end, RunEnd::Completed) << outcome.why << said_;
  EXPECT_THAT(said_, HasSubstr("total images/sec"));
  EXPECT_EQ(read_result(path("r.json")).status, "interrupted");
}

// A bit for each signal, as /proc says it: what each thread of a process holds back ("SigBlk:") or
// handles ("SigCgt:").
std::vector<uint64_t> signals_of_threads(pid_t process, const std::string& field) {
  std::vector<uint64_t> masks;
  for (const auto& task : fs::directory_iterator(fmt::format("/proc/{}/task", process))) {
    std::ifstream status(task.path() / "status");
    for (std::string word; status >> word;) {
      if (word == field) status >> std::hex >> masks.emplace_back();
    }
  }
  return masks;
}

// A handler's frame would be written to wherever a kernel of oneDNN has its stack pointer: into the
// middle of a matrix.
TEST_F(Faults, NoThreadThatComputesTakesASignal) {
  const std::string mark = "WORKERS_TEST=" + directory_.string();
  const Command command = {.name = "the run",
                           .argv = train({"--num-devices=2", "--num-batches=1000000"}),
                           .env = {{"WORKERS_TEST", directory_.string()}},
                           .directory = directory_.string()};
  const auto wishes = [](uint64_t mask) {
    return mask & (1ULL << (SIGINT - 1) | 1ULL << (SIGTERM - 1) | 1ULL << (SIGUSR1 - 1));
  };
  run_commands(
      std::span(&command, 1), {.time = Seconds(300)}, {.line = [&](const OutputLine& line) {
        if (line.text.find("images/sec") == std::string::npos) return Next::GoOn;
        for (const pid_t process : processes_with(mark, "LOCKSTEP_RANK")) {
          done_ = true;
          EXPECT_EQ(std::ranges::count(signals_of_threads(process, "SigBlk:"), 0u, wishes), 1)
              << "one thread is there to wait for them";
          EXPECT_EQ(wishes(signals_of_threads(process, "SigCgt:").front()), 0u);
        }
        return Next::Stop;
      }});
  EXPECT_TRUE(done_);
}

}  // namespace
}  // namespace lockstep
