// What real runs print, for people and for the parsers of other programs' output.
#include <csignal>
#include <nlohmann/json.hpp>

#include "process/processes.h"
#include "report/results/run_result.h"
#include "run/workers_fixture.h"
#include "support/paths.h"

namespace lockstep {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// The end block of tf_cnn_benchmarks and what follows it; empty: there is none.
struct End {
  std::string block, rest;
};
End end_of(const std::string& out) {
  const std::string dashes = std::string(64, '-') + "\n";
  const size_t begin = out.find(dashes + "total images/sec: ");
  if (begin == std::string::npos) return {};
  const size_t end = out.find(dashes, begin + dashes.size()) + dashes.size();
  return {out.substr(begin, end - begin), out.substr(end)};
}

class Output : public Workers {
 protected:
  // What every process says that the user starts: two workers and a parameter server.
  struct ByHand {
    PlanOutcome outcome;
    std::string out[3], err[3];
  };
  // Once worker 0 prints its first step, the processes whose name starts with `victims` get the
  // signal.
  struct Signal {
    int number;
    std::string victims;
    int exit_code;  // expected of all processes
  };
  ByHand train_with_server_by_hand(const std::optional<Signal>& signal = {}) {
    const std::vector<int> ports = free_ports(3);
    const auto address = [&](int i) { return fmt::format("127.0.0.1:{}", ports[i]); };
    const std::string workers = "--worker-hosts=" + address(0) + "," + address(1);
    std::vector<Command> plan;
    for (const auto& [job, index] :
         {std::pair{"worker", "0"}, std::pair{"worker", "1"}, std::pair{"ps", "0"}}) {
      plan.push_back(
          {.name = std::string(job) + " " + index,
           .argv =
               train({"--job_name", job, "--task_index", index, workers, "--ps-hosts=" + address(2),
                      "--display-every=2", signal ? "--num-batches=1000000" : "--num-batches=6"}),
           .env = {{"OUTPUT_TEST", fmt::format("{} {} {}", directory_.string(), job, index)}},
           .expected_exit_code = signal ? signal->exit_code : 0});
    }
    ByHand by_hand;
    bool sent = !signal;
    by_hand.outcome = run_commands(
        plan, {.time = Seconds(300)}, {.line = [&](const OutputLine& line) {
          (line.from_stderr ? by_hand.err : by_hand.out)[line.command] += line.text + "\n";
          if (sent || line.command != 0 || !line.text.starts_with("1\timages/sec")) {
            return Next::Continue;
          }
          sent = true;
          for (const std::string name : {"worker 0", "worker 1", "ps 0"}) {
            const std::string mark = "OUTPUT_TEST=" + directory_.string() + " " + name;
            if (!name.starts_with(signal->victims)) continue;
            for (const pid_t process : processes_with(mark, "")) kill(process, signal->number);
          }
          return Next::Continue;
        }});
    EXPECT_TRUE(sent);
    return by_hand;
  }
};

TEST_F(Output, EveryHandStartedWorkerPrintsItsHeaderItsStepsAndTheTotal) {
  const ByHand ran = train_with_server_by_hand();
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err[0] << ran.err[1] << ran.err[2];
  std::string totals[2];
  for (int worker = 0; worker < 2; ++worker) {
    const std::string& out = ran.out[worker];
    EXPECT_THAT(out, HasSubstr("Batch size:  8 global\n             4 per device\n"));
    EXPECT_THAT(out, HasSubstr(fmt::format("Devices:     ['/job:worker/replica:0/task:{}/cpu:0']\n",
                                           worker)));
    EXPECT_THAT(out, HasSubstr("Variables:   parameter_server\nSync:        True\n"));
    EXPECT_THAT(out, ContainsRegex("\n6\timages/sec: [^\n]*\n-"));
    totals[worker] = end_of(out).block;
    EXPECT_NE(totals[worker], "") << out;
  }
  EXPECT_EQ(totals[0], totals[1]);
}

TEST_F(Output, AHandStartedServerTellsWhoConnectedHowFarItIsAndWhyItEnds) {
  const ByHand ran = train_with_server_by_hand();
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err[2];
  const std::string& out = ran.out[2];
  EXPECT_THAT(out, StartsWith("lockstep: "));
  EXPECT_THAT(out, HasSubstr("Devices:     ['/job:ps/replica:0/task:0/cpu:0']\n"));
  EXPECT_THAT(
      out, ContainsRegex("\nRunning parameter server 0\nConnected: worker 0 \\([^,]+\\), worker 1 "
                         "\\([^\n]+\\)\n1 update\n2 updates\n4 updates\n"));
  EXPECT_THAT(out, HasSubstr("\nAll workers are done after 8 updates\n"));
}

TEST_F(Output, AHandStartedServerTellsThatItsWorkersWereInterrupted) {
  const ByHand ran =
      train_with_server_by_hand(Signal{.number = SIGINT, .victims = "worker", .exit_code = 130});
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err[0] << ran.err[1] << ran.err[2];
  EXPECT_THAT(ran.out[2], ContainsRegex("\nThe workers were interrupted after [0-9]+ updates?\n"));
  EXPECT_THAT(ran.out[2], Not(HasSubstr("done")));
  EXPECT_THAT(ran.err[1], HasSubstr("lockstep: interrupted; worker 0 writes the result\n"));
}

TEST_F(Output, AHandStartedServerNamesTheKilledWorkerAsItsUserDoes) {
  const ByHand ran =
      train_with_server_by_hand(Signal{.number = SIGKILL, .victims = "worker 1", .exit_code = 1});
  EXPECT_EQ(ran.outcome.end, RunEnd::Failed);
  EXPECT_THAT(ran.err[2] + ran.err[0], HasSubstr("worker 1 ("));
  EXPECT_THAT(ran.err[2] + ran.err[0], Not(HasSubstr("rank 1 (")));
}

TEST_F(Output, AHandStartedWorkerSaysForWhomItWaitsAndThatNothingWasMeasured) {
  const std::vector<int> ports = free_ports(2);
  const std::string first = fmt::format("127.0.0.1:{}", ports[0]);
  const Command command = {
      .name = "worker 1",
      .argv = train({"--job_name=worker", "--task_index=1",
                     fmt::format("--worker-hosts={},127.0.0.1:{}", first, ports[1])}),
      .env = {{"OUTPUT_TEST", directory_.string()}},
      .expected_exit_code = 130};
  std::string said;
  const PlanOutcome outcome = run_commands(
      std::span(&command, 1), {.time = Seconds(300)}, {.line = [&](const OutputLine& line) {
        said += line.text + "\n";
        if (line.text.starts_with("Waiting")) {
          for (const pid_t process : processes_with("OUTPUT_TEST=" + directory_.string(), "")) {
            kill(process, SIGTERM);
          }
        }
        return Next::Continue;
      }});
  EXPECT_EQ(outcome.end, RunEnd::Completed) << said;
  EXPECT_THAT(said, HasSubstr("Waiting for worker 0 at " + first + "\n"));
  EXPECT_THAT(said, HasSubstr("lockstep: interrupted during set-up; nothing was measured\n"));
}

TEST_F(Output, LogsHaveALineOfEveryWorkersOwnStepsAndTheScreenOnlyWithVerbose) {
  for (const bool verbose : {false, true}) {
    const std::string logs = path(verbose ? "verbose" : "quiet");
    std::vector<std::string> words = {"--num-devices=2", "--variable-update=parameter_server",
                                      "--log-dir=" + logs};
    if (verbose) words.emplace_back("-v");
    const Ran ran = run(train(words));
    ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
    std::string texts[3];
    for (const auto& file : std::filesystem::directory_iterator(logs)) {
      const char rank = file.path().filename().string()[5];
      texts[rank - '0'] = contents(file.path());
    }
    for (int worker = 0; worker < 2; ++worker) {
      const std::string line = fmt::format(
          "Worker {}: [0-9]+-[0-9]+-[0-9]+ [0-9]+:[0-9]+:[0-9]+[.][0-9]{{6}}: step 1, loss = "
          "[0-9.]+\\([0-9.]+ examples/sec; [0-9.]+  sec/batch\\)\n",
          worker);
      EXPECT_THAT(texts[worker], ContainsRegex(line));
      if (verbose) {
        EXPECT_THAT(ran.err, ContainsRegex(line));
      } else {
        EXPECT_THAT(ran.err, Not(ContainsRegex(line)));
      }
    }
    EXPECT_THAT(texts[2], HasSubstr("Parameter server 0: 1 update\n"));
    EXPECT_THAT(ran.out, Not(HasSubstr("Worker ")));
  }
}

TEST_F(Output, NothingAfterTheTotalLooksLikeARate) {
  const Ran ran = run(train({"--num-devices=2", "--efficiency"}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  const std::string rest = end_of(ran.out).rest;
  EXPECT_THAT(rest, StartsWith("Nodes: 1; Devices per node: 2; Images/sec: "));
  EXPECT_THAT(rest, Not(HasSubstr("images/sec")));
  EXPECT_THAT(ran.err, Not(HasSubstr("images/sec")));
}

TEST_F(Output, InTheFormatOfTfCnnBenchmarksNothingFollowsTheTotal) {
  const Ran ran = run(train({"--num-devices=2", "--output-format=tf_cnn_benchmarks"}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  EXPECT_NE(end_of(ran.out).block, "");
  EXPECT_EQ(end_of(ran.out).rest, "");
  EXPECT_THAT(ran.out, Not(HasSubstr("Host:")));
}

TEST_F(Output, ForwardOnlyHasThreeColumnsMore) {
  const Ran ran = run(train({"--forward_only"}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Step\tImg/sec\ttotal_loss\ttop_1_accuracy\ttop_5_accuracy\n"));
  EXPECT_THAT(ran.out,
              ContainsRegex("\n1\timages/sec: [^\t]+\t0.000\t[01].[0-9]{3}\t[01].[0-9]{3}\n"));
}

TEST_F(Output, AResultOnStdoutIsTheOnlyThingThere) {
  for (const char* devices : {"--num-devices=1", "--num-devices=2"}) {
    const Ran ran = run(train({devices, "--result", "-"}));
    ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
    const auto json = nlohmann::json::parse(ran.out);
    EXPECT_EQ(json.at("status"), "completed") << devices;
    EXPECT_THAT(ran.err, HasSubstr("total images/sec: "));
    EXPECT_THAT(ran.err, Not(HasSubstr("wrote")));
    EXPECT_TRUE(std::filesystem::is_empty(directory_));
  }
}

TEST_F(Output, AResultSaysWhichProgramMadeItAndHow) {
  const Ran ran = run(train({"--num-devices=2", "--result", path("r.json")}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  const Provenance provenance = read_result(path("r.json")).provenance;
  EXPECT_THAT(provenance.command_line, StartsWith(lockstep_program() + " train --model=lenet "));
  EXPECT_THAT(provenance.command_line, HasSubstr(" --num-devices=2 --result "));
  EXPECT_EQ(provenance.working_directory, directory_.string());
  EXPECT_THAT(provenance.revision, ::testing::MatchesRegex("([0-9a-f]{12}(-dirty)?)?"));
  EXPECT_EQ(provenance.started_by, "");
}

TEST_F(Output, ALaunchOfASweepSaysHowTheSweepWasStarted) {
  const Ran ran =
      run({lockstep_program(), "sweep", "--models=lenet:4", "--num-devices=2", "--num-batches=2",
           "--num-warmup-batches=1", "--repeats=1", "--output", path("sweep")});
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  for (const auto& file : std::filesystem::directory_iterator(path("sweep/runs"))) {
    const Provenance provenance = read_result(file.path().string()).provenance;
    EXPECT_THAT(provenance.command_line, StartsWith(lockstep_program() + " train "));
    EXPECT_THAT(provenance.started_by, StartsWith(lockstep_program() + " sweep --models=lenet:4 "));
  }
}

}  // namespace
}  // namespace lockstep
