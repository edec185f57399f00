// Runs under a real Slurm: started by srun, by our launcher inside an allocation, and submitted.
#include <fmt/format.h>
#include <signal.h>

#include <fstream>
#include <set>

#include "cluster/processes_in.h"
#include "cluster/slurm_cluster.h"
#include "process/processes.h"
#include "report/results/run_result.h"
#include "support/paths.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class SlurmRuns : public SlurmCluster {
 protected:
  std::vector<std::string> in_allocation(const std::vector<std::string>& argv) const {
    std::vector<std::string> words = {"salloc", "--quiet", "--nodes=2"};
    words.insert(words.end(), argv.begin(), argv.end());
    return words;
  }
  // Of these processes those without such words.
  std::vector<pid_t> without(std::vector<pid_t> some, const std::vector<std::string>& texts) const {
    for (const std::string& text : texts) {
      for (const pid_t other : processes(text)) std::erase(some, other);
    }
    return some;
  }
  // As the user typed it: processes that it starts have their options in another order.
  std::vector<pid_t> launchers_in_allocation() const {
    return without(processes("--launcher=slurm --num-batches=1000000"), {"salloc --quiet"});
  }
  static void signal(const std::vector<pid_t>& some, int number) {
    EXPECT_FALSE(some.empty());
    for (const pid_t process : without_guards(some)) kill(process, number);
  }
  std::vector<std::string> prefixed(std::vector<std::string> words,
                                    const std::vector<std::string>& argv) const {
    words.insert(words.end(), argv.begin(), argv.end());
    return words;
  }
};

TEST_F(SlurmRuns, TasksOfOneSrunFormOneRun) {
  const Ran ran = run_on_host(
      prefixed({"srun", "--nodes=2", "--ntasks=4"}, train({"--result", path("r.json")})));
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("total images/sec"));
  EXPECT_EQ(read_result(path("r.json")).ranks.size(), 4u);
  expect_no_job_left();
}

TEST_F(SlurmRuns, InsideAnAllocationSrunStartsWorkersAndServersWhereTheyArePlanned) {
  const Ran ran = run_on_host(
      in_allocation(train({"--launcher=slurm", "-g", "1", "--variable-update=parameter_server",
                           "--num-ps=1", "--result", path("r.json"), "--log-dir", path("logs")})));
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  const RunResult result = read_result(path("r.json"));
  EXPECT_EQ(result.ranks.size(), 2u);
  EXPECT_EQ(result.facts.servers, 1);
  EXPECT_TRUE(fs::exists(path("logs/rank-0-n1.log")));
  EXPECT_TRUE(fs::exists(path("logs/rank-1-n2.log")));
  expect_no_job_left();
}

TEST_F(SlurmRuns, SrunInsideAnSrunShellDoesNotWaitForIt) {
  const Ran ran =
      run_on_host(in_allocation(prefixed({"srun", "--nodes=1", "--ntasks=1"},
                                         train({"--launcher=slurm", "--result", path("r.json")}))));
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_EQ(read_result(path("r.json")).ranks.size(), 2u);
  expect_no_job_left();
}

TEST_F(SlurmRuns, OutsideAnAllocationAJobIsSubmittedAndFollowedAndItsResultComesBack) {
  const Ran ran = run_on_host(
      train({"--launcher=slurm", "-n", "2", "--sbatch-option=--time=10", "--result", "r.json"}));
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("total images/sec"));
  EXPECT_EQ(read_result(path("r.json")).ranks.size(), 2u);
  const size_t said = ran.err.find("logs: lockstep-runs/");
  ASSERT_NE(said, std::string::npos) << ran.err;
  const fs::path logs = path(ran.err.substr(said + 6, ran.err.find('\n', said) - said - 6));
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(logs)) names.insert(entry.path().filename());
  EXPECT_THAT(names, ::testing::IsSupersetOf({"rank-0-n1.log", "rank-1-n2.log"}));
  expect_no_job_left();
}

TEST_F(SlurmRuns, ServersOfASubmittedJobDoNotReplaceWorkers) {
  const Ran ran = run_on_host(train({"--launcher=slurm", "-n", "2", "--num-ps=2",
                                     "--variable-update=parameter_server", "--result", "r.json"}));
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_EQ(read_result(path("r.json")).ranks.size(), 2u);
  EXPECT_EQ(read_result(path("r.json")).facts.servers, 2);
}

TEST_F(SlurmRuns, NoShellInterpretsUserInput) {
  const std::string odd = "r $(touch no) ;touch no2' \".json";
  const Ran inside = run_on_host(in_allocation(train({"--launcher=slurm", "--result", odd})));
  ASSERT_EQ(inside.exit_code(), 0) << inside.err;
  EXPECT_EQ(read_result(path(odd)).ranks.size(), 2u);
  fs::remove(path(odd));
  const Ran submitted =
      run_on_host(train({"--launcher=slurm", "-n", "2", "--sbatch-option=--comment=\"$(touch no)\"",
                         "--result", odd, "--log-dir", "logs $(touch no) 100%j;'"}));
  ASSERT_EQ(submitted.exit_code(), 0) << submitted.err;
  EXPECT_EQ(read_result(path(odd)).ranks.size(), 2u);
  EXPECT_TRUE(fs::exists(path("logs $(touch no) 100%j;'/rank-0-n1.log")));
  EXPECT_NE(run_on_host(train({"--launcher=slurm", "-n2", "--model=$(touch no)"})).exit_code(), 0);
  for (const char* name : {"no", "no2"}) EXPECT_FALSE(fs::exists(path(name))) << name;
}

TEST_F(SlurmRuns, TheDoctorShowsTheErrorOfSrunWithAdvice) {
  const Ran ran = run_on_host(prefixed({"env", "SLURM_PARTITION=nowhere", lockstep_program()},
                                       {"doctor", "--slurm", "-n", "2"}));
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.out, ::testing::ContainsRegex("problem +reachable +.*nvalid partition"));
  EXPECT_THAT(ran.out, HasSubstr("try 'srun --nodes=N hostname' by hand"));
  EXPECT_THAT(ran.out, ::testing::Not(HasSubstr("ssh")));
}

TEST_F(SlurmRuns, TheDoctorChecksEveryNode) {
  const Ran ran = run_on_host(prefixed({lockstep_program()}, {"doctor", "--slurm", "-n", "2"}));
  EXPECT_EQ(ran.exit_code(), 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, ::testing::ContainsRegex("ok +version +n1, n2 "));
  EXPECT_THAT(ran.out, ::testing::ContainsRegex("link +n1 to n2 +[0-9.]+ Gbit/s"));
  expect_no_job_left();
}

TEST_F(SlurmRuns, ADryRunShowsTheScriptAndSubmitsNothing) {
  const Ran ran =
      run_on_host(train({"--launcher=slurm", "-n", "2", "--sbatch-option=--time=10", "--dry-run"}));
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("#SBATCH --nodes=2\n"));
  EXPECT_THAT(ran.out, HasSubstr("#SBATCH --time=10\n"));
  EXPECT_THAT(ran.out, HasSubstr("rank 1, worker 1, on node 2 of the job: LOCKSTEP_TOKEN=... "));
  EXPECT_FALSE(fs::exists(path("lockstep-runs")));
  EXPECT_EQ(run_on_host({"squeue", "--noheader", "--states=all"}).out, "");
}

TEST_F(SlurmRuns, AFailedJobReportsItsCodeAndReason) {
  const Ran ran = run_on_host(train({"--launcher=slurm", "-n", "2", "--data-dir=/nowhere"}));
  EXPECT_NE(ran.exit_code(), 0);
  EXPECT_THAT(ran.err, HasSubstr("/nowhere"));
  const Ran late = run_on_host(
      train({"--launcher=slurm", "-n", "2", "--communicator=gloo", "--interface=nowhere"}));
  EXPECT_EQ(late.exit_code(), 2);
  EXPECT_THAT(late.err, HasSubstr("nowhere"));
  EXPECT_THAT(late.err, HasSubstr("ended: failed 2:0"));
  expect_no_job_left();
}

TEST_F(SlurmRuns, AnInterruptedRunInsideAnAllocationReportsItsPartialResult) {
  const Ran ran = run_on_host(in_allocation(train({"--launcher=slurm", "--num-batches=1000000",
                                                   "--verbose", "--result", path("r.json")})),
                              [&] { signal(launchers_in_allocation(), SIGINT); });
  EXPECT_THAT(ran.out, HasSubstr("total images/sec")) << ran.err;
  ASSERT_TRUE(fs::exists(path("r.json"))) << ran.err;
  EXPECT_EQ(read_result(path("r.json")).status, RunStatus::Interrupted);
  expect_no_job_left();
}

TEST_F(SlurmRuns, AnInterruptedLauncherStopsItsJobWithAPartialResult) {
  const Ran ran = run_on_host(
      train({"--launcher=slurm", "-n", "2", "--num-batches=1000000", "--result", "r.json"}),
      [&] { signal(without(processes("--launcher=slurm -n 2"), {"sh -c"}), SIGINT); });
  EXPECT_EQ(ran.exit_code(), 130) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("total images/sec")) << ran.err;
  ASSERT_TRUE(fs::exists(path("r.json"))) << ran.err;
  EXPECT_EQ(read_result(path("r.json")).status, RunStatus::Interrupted);
  expect_no_job_left();
}

TEST_F(SlurmRuns, AKilledLauncherCancelsItsJob) {
  const Ran ran = run_on_host(train({"--launcher=slurm", "-n", "2", "--num-batches=1000000"}), [&] {
    signal(without(processes("--launcher=slurm -n 2"), {"sh -c"}), SIGKILL);
  });
  EXPECT_NE(ran.exit_code(), 0);
  expect_no_job_left();
}

TEST_F(SlurmRuns, TheJobOfAKilledWaitingShellIsCancelled) {
  const Ran ran = run_on_host(train({"--launcher=slurm", "-n", "2", "--num-batches=1000000"}),
                              [&] { signal(processes("sbatch --parsable"), SIGKILL); });
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("lockstep: Slurm ended with signal 9"));
  expect_no_job_left();
}

TEST_F(SlurmRuns, AKilledLauncherInsideAnAllocationEndsItsStep) {
  run_on_host(in_allocation(train({"--launcher=slurm", "--num-batches=1000000"})),
              [&] { signal(launchers_in_allocation(), SIGKILL); });
  expect_no_job_left();
}

TEST_F(SlurmRuns, AKilledWorkerEndsTheRunWithItsName) {
  const Ran ran = run_on_host(
      in_allocation(train({"--launcher=slurm", "--num-batches=1000000", "--stall-timeout=5"})),
      [&] {
        const auto workers = without(processes("--num-batches=1000000"),
                                     {"salloc --quiet", "srun --label", "--num-batches=6"});
        ASSERT_EQ(workers.size(), 2u);
        signal({workers.back()}, SIGKILL);
      });
  EXPECT_NE(ran.exit_code(), 0);
  EXPECT_THAT(ran.err, HasSubstr("rank"));
  EXPECT_THAT(ran.err, HasSubstr("Killed"));
  expect_no_job_left();
}

}  // namespace
}  // namespace lockstep
