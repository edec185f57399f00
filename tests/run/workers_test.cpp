// Several real processes of the real program on this machine.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "measure/host.h"
#include "report/results/run_result.h"
#include "run/workers_fixture.h"
#include "support/leaks.h"
#include "support/paths.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST_F(Workers, TwoDevicesAreOneRunWithOneOutput) {
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

TEST_F(Workers, EveryPullTellsHowLongItsServerHeldIt) {
  for (const char* update : {"parameter_server", "distributed_replicated"}) {
    const Ran ran = run(train({"--num-devices=2", "--num-ps=1", "--variable-update", update,
                               "--result", path("r.json")}));
    ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
    const RunResult result = read_result(path("r.json"));
    ASSERT_EQ(result.ranks.size(), 2u);
    for (const RankResult& rank : result.ranks) {
      for (size_t i = 0; i < rank.transfers.size(); ++i) {
        const TransferRecord& each = rank.transfers[i];
        const Transfer& transfer = result.transfers[i % result.transfers.size()];
        ASSERT_EQ(each.hold.has_value(), transfer.name.starts_with("pull")) << transfer.name;
        if (!each.hold) continue;
        EXPECT_GE(each.hold->waited, Seconds{0});
        EXPECT_GE(each.hold->queued, Seconds{0});
        // Both ends are on the clock of rank 0, which is corrected a little from one to the other.
        EXPECT_LT(each.hold->waited + each.hold->queued, each.end - each.begin + Seconds{1e-3});
      }
    }
    ASSERT_TRUE(result.path);
    EXPECT_TRUE(result.path->servers_measured);
  }
}

TEST_F(Workers, LogsAreKeptWhereTheUserWantsThem) {
  const Ran ran = run(train({"--num-devices=2", "--log-dir", path("logs")}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  const std::string host = read_host().name;
  EXPECT_THAT(contents(path("logs/rank-0-" + host + ".log")), HasSubstr("total images/sec"));
  EXPECT_TRUE(fs::exists(path("logs/rank-1-" + host + ".log")));
  EXPECT_EQ(run(train({"--num-devices=2", "--log-dir", "/proc/no"})).err,
            "lockstep: cannot create --log-dir /proc/no: No such file or directory\n");
}

TEST_F(Workers, OneProcessWritesItsOwnLog) {
  const Ran ran = run(train({"--num-devices=1", "--log-dir", path("logs")}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  const std::string log = path("logs/rank-0-" + read_host().name + ".log");
  EXPECT_THAT(contents(log), HasSubstr("total images/sec"));
  EXPECT_THAT(ran.out, HasSubstr("total images/sec"));
  run(train({"--num-devices=1", "--log-dir", path("logs"), "--batch-size=100000000"}));
  EXPECT_THAT(contents(log), HasSubstr("lockstep: "));
  EXPECT_EQ(run(train({"--num-devices=1", "--log-dir", "/proc/no"})).err,
            "lockstep: cannot create --log-dir /proc/no: No such file or directory\n");
}

TEST_F(Workers, ThatSucceedOnThisMachineLeaveNoLogs) {
  const Ran ran = run(train({"--num-devices=2"}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(Workers, ThatFailNameTheirLogs) {
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
  EXPECT_THAT(ranks, HasSubstr("; use --batch-size "));
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
  EXPECT_THAT(ran.out, HasSubstr(fmt::format("Images/sec: {:.2f} (", rate)));
}

TEST_F(Workers, EnoughPrecisionEndsARunOnAllRanksAtTheSameStep) {
  const Ran ran = run(train(
      {"--num-devices=2", "--precision=90%", "--num-batches=20000", "--result", path("r.json")}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  const RunResult result = read_result(path("r.json"));
  EXPECT_EQ(result.status, RunStatus::Completed);
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
  const auto& phases = result.independent->mean_phases;
  EXPECT_GT(phases[static_cast<size_t>(Phase::Forward)], 0);
  EXPECT_GT(phases[static_cast<size_t>(Phase::Backward)], 0);
  EXPECT_EQ(phases[static_cast<size_t>(Phase::Communication)], 0) << "there is none";
  EXPECT_THAT(ran.out, HasSubstr("communication efficiency "));
  EXPECT_NEAR(result.independent->communication_efficiency * result.independent->images_per_second,
              result.throughput.total_images_per_second, 1e-6);
}

TEST_F(Workers, EveryBackendOfOneMachineTrains) {
  for (const char* communicator : {"shm", "gloo", "hierarchical"}) {
    const Ran ran =
        run(train({"--num-devices=2", "--interface=lo", "--communicator", communicator}));
    EXPECT_EQ(ran.outcome.end, RunEnd::Completed) << communicator << "\n" << ran.err;
  }
}

TEST_F(Workers, MpirunGivesEveryProcessItsRank) {
  std::vector<std::string> words = {
      "env", kLeaksOfOpenMpi, "mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "2"};
  for (const std::string& word : train({"--variable-update=horovod", "--result", path("r.json")})) {
    words.push_back(word);
  }
  const Ran ran = run(words);
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  EXPECT_EQ(read_result(path("r.json")).ranks.size(), 2u);
}

TEST_F(Workers, TheUserMayStartEveryProcess) {
  const auto [outcome, said] =
      train_by_hand([](const std::string&) { return std::vector<std::string>{}; });
  EXPECT_EQ(outcome.end, RunEnd::Completed) << said;
}

TEST_F(Workers, ThatDisagreeAreRefusedWithBothSidesNamed) {
  const auto [outcome, said] = train_by_hand([&](const std::string& index) {
    return std::vector<std::string>{"--momentum", "0." + index};
  });
  EXPECT_EQ(outcome.end, RunEnd::Failed);
  EXPECT_THAT(said, HasSubstr("--momentum differs: '0' on worker 0"));
  EXPECT_THAT(said, HasSubstr("'0.1' on worker 1"));
}

// Each host may have a copy of the data.
TEST_F(Workers, WithDifferentDataAreRefused) {
  for (const char* name : {"0", "1"}) {
    ASSERT_EQ(run({lockstep_program(), "data", "make", path(name), "--images=6", "--shards=3",
                   "--height=32", "--width=32"})
                  .outcome.end,
              RunEnd::Completed);
  }
  fs::remove(path("1/train-00002-of-00003"));
  const auto [outcome, said] = train_by_hand([&](const std::string& index) {
    return std::vector<std::string>{"--data-dir", path(index)};
  });
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
  EXPECT_THAT(here.err, HasSubstr("cannot read directory /nowhere"));
}

TEST_F(Workers, ErrorsAreReportedOnceBeforeAnyWorkerStarts) {
  const Ran ran = run(train({"--num-devices=4", "--num-batches=1", "--num-epochs=1"}));
  EXPECT_EQ(ran.outcome.end, RunEnd::Failed);
  EXPECT_EQ(ran.err,
            "lockstep: --num-batches and --num-epochs both set the number of steps; "
            "give one of them\n");
}

TEST_F(Workers, SlurmsVariablesGiveEveryTaskItsRank) {
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

}  // namespace
}  // namespace lockstep
