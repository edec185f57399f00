// `timeout 60 lockstep train ...`: timeout(1) signals its child and then its process group, so one
// request to stop arrives twice.
#include <algorithm>
#include <csignal>
#include <fstream>

#include "process/processes.h"
#include "report/results/run_result.h"
#include "run/workers_fixture.h"
#include "support/paths.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr int kTimedOut = 124;  // exit code of timeout(1)

std::string name_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

struct Kind {
  const char* name;
  std::vector<std::string> options;
  const char* signal = "TERM";
};

class Timeouts : public Workers {
 protected:
  // What the command printed. Its time is over at the first line with this text, not sooner or
  // later: timeout(1) learns of that by SIGALRM.
  std::string run_until(const std::string& text, const char* signal,
                        std::vector<std::string> words) {
    const std::string mark = "WORKERS_TEST=" + directory_.string();
    words.insert(words.begin(), {"timeout", "-s", signal, "1000"});
    const Command command = {.name = "timeout",
                             .argv = words,
                             .env = {{"WORKERS_TEST", directory_.string()}},
                             .directory = directory_.string(),
                             .expected_exit_code = kTimedOut};
    std::string said;
    bool over = false;
    const PlanOutcome outcome = run_commands(
        std::span(&command, 1), {.time = Seconds(300)}, {.line = [&](const OutputLine& line) {
          said += line.text + "\n";
          if (over || line.text.find(text) == std::string::npos) return Next::Continue;
          over = true;
          for (const pid_t process : processes_with(mark)) {
            if (name_of(process) == "timeout") kill(process, SIGALRM);
          }
          return Next::Continue;
        }});
    EXPECT_TRUE(over) << said;
    EXPECT_EQ(outcome.end, RunEnd::Completed) << outcome.why << said;
    return said;
  }
};

class TimedOutRuns : public Timeouts, public ::testing::WithParamInterface<Kind> {};

TEST_P(TimedOutRuns, KeepTheirResultAndCheckpoint) {
  std::vector<std::string> words = {"--num-batches=1000000", "--display-every=1", "--result",
                                    path("r.json"), "--train-dir=" + path("t")};
  words.insert(words.end(), GetParam().options.begin(), GetParam().options.end());
  const std::string said = run_until("images/sec", GetParam().signal, train(words));
  EXPECT_THAT(said, HasSubstr("total images/sec"));
  EXPECT_THAT(said, HasSubstr("interrupted after "));
  ASSERT_TRUE(fs::exists(path("r.json"))) << said;
  EXPECT_EQ(read_result(path("r.json")).status, RunStatus::Interrupted);
  const bool saved = std::ranges::any_of(fs::directory_iterator(path("t")), [](const auto& entry) {
    return entry.path().filename().string().starts_with("model.ckpt-");
  });
  EXPECT_TRUE(saved) << said;
  EXPECT_TRUE(processes_with("WORKERS_TEST=" + directory_.string()).empty());
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, TimedOutRuns,
    ::testing::Values(Kind{"OneWorker", {}}, Kind{"TwoWorkers", {"--num-devices=2"}},
                      Kind{"WithAServer",
                           {"--num-devices=2", "--variable-update=parameter_server"}},
                      Kind{"BySigint", {"--num-devices=2"}, "INT"},
                      Kind{"ByMpirun", {"--num-devices=2", "--launcher=mpirun"}}),
    [](const auto& kind) { return kind.param.name; });

TEST_F(Timeouts, ASweepShowsWhatItHasAndCanBeResumed) {
  const std::string said = run_until(
      "[1/2]", "TERM",
      {lockstep_program(), "sweep", "--models=lenet:4", "--num-devices=2", "--num-batches=300",
       "--num-warmup-batches=0", "--threads=1", "--repeats=2", "--output=out"});
  EXPECT_THAT(said, HasSubstr("results: out/results.jsonl"));
  EXPECT_TRUE(processes_with("WORKERS_TEST=" + directory_.string()).empty());
}

}  // namespace
}  // namespace lockstep
