// What happens to several workers when one gets a signal.
#include <algorithm>
#include <csignal>

#include "process/processes.h"
#include "report/results/run_result.h"
#include "run/workers_fixture.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// What happens when, once all train, rank 1 gets a signal.
class Faults : public Workers {
 protected:
  PlanOutcome train_and_signal(int signal, const std::string& victim) {
    const std::string mark = "WORKERS_TEST=" + directory_.string();
    const Command command = {.name = "the run",
                             .argv = train({"--num-devices=2", "--num-batches=1000000", "--verbose",
                                            "--stall-timeout=10"}),
                             .env = {{"WORKERS_TEST", directory_.string()}},
                             .directory = directory_.string()};
    const PlanOutcome outcome = run_commands(
        std::span(&command, 1), {.time = Seconds(300)}, {.line = [&](const OutputLine& line) {
          said_ += line.text + "\n";
          if (!done_ && line.text.starts_with("Worker 1: ")) {
            done_ = true;
            for (const pid_t process : processes_with(mark, victim)) kill(process, signal);
          }
          return Next::Continue;
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
        return Next::Continue;
      }});
  EXPECT_EQ(outcome.end, RunEnd::Completed) << outcome.why << said_;
  EXPECT_THAT(said_, HasSubstr("total images/sec"));
  EXPECT_EQ(read_result(path("r.json")).status, RunStatus::Interrupted);
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
        if (line.text.find("images/sec") == std::string::npos) return Next::Continue;
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
