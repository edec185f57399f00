// Runs under a real Slurm: started by srun, by our launcher inside an allocation, and submitted.
#include <fmt/format.h>
#include <signal.h>

#include <fstream>

#include "cluster/slurm_cluster.h"
#include "launch/processes.h"
#include "report/run_result.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

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
    for (const pid_t process : some) kill(process, number);
  }
  std::vector<std::string> prefixed(std::vector<std::string> words,
                                    const std::vector<std::string>& argv) const {
    words.insert(words.end(), argv.begin(), argv.end());
    return words;
  }
};

TEST_F(SlurmRuns, TasksOfSrunAreOneRun) {
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
  EXPECT_TRUE(fs::exists(path("logs/n1-rank-0.log")));
  EXPECT_TRUE(fs::exists(path("logs/n2-rank-1.log")));
  expect_no_job_left();
}

TEST_F(SlurmRuns, OutsideAnAllocationAJobIsSubmittedAndFollowedAndItsResultComesBack) {
  const Ran ran = run_on_host(
      train({"--launcher=slurm", "-n", "2", "--sbatch-option=--time=10", "--result", "r.json"}));
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("total images/sec"));
  EXPECT_EQ(read_result(path("r.json")).ranks.size(), 2u);
  expect_no_job_left();
}

TEST_F(SlurmRuns, TheDoctorLooksAtEveryNode) {
  const Ran ran = run_on_host(prefixed({LOCKSTEP_PROGRAM}, {"doctor", "--slurm", "-n", "2"}));
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
  EXPECT_THAT(ran.out, HasSubstr("rank 1, worker 1, on node 2 of the job: "));
  EXPECT_EQ(run_on_host({"squeue", "--noheader", "--states=all"}).out, "");
}

TEST_F(SlurmRuns, AJobThatFailsTellsItsCodeAndReason) {
  const Ran ran = run_on_host(train({"--launcher=slurm", "-n", "2", "--data-dir=/nowhere"}));
  EXPECT_NE(ran.exit_code(), 0);
  EXPECT_THAT(ran.err, HasSubstr("/nowhere"));
  const Ran late = run_on_host(
      train({"--launcher=slurm", "-n", "2", "--communicator=gloo", "--interface=nowhere"}));
  EXPECT_EQ(late.exit_code(), 1);
  EXPECT_THAT(late.err, HasSubstr("nowhere"));
  EXPECT_THAT(late.err, HasSubstr("ended: failed 1:0"));
  expect_no_job_left();
}

TEST_F(SlurmRuns, AnInterruptedRunInsideAnAllocationReportsWhatItHas) {
  const Ran ran = run_on_host(in_allocation(train({"--launcher=slurm", "--num-batches=1000000",
                                                   "--result", path("r.json")})),
                              [&] { signal(launchers_in_allocation(), SIGINT); });
  EXPECT_THAT(ran.out, HasSubstr("total images/sec")) << ran.err;
  ASSERT_TRUE(fs::exists(path("r.json"))) << ran.err;
  EXPECT_EQ(read_result(path("r.json")).status, "interrupted");
  expect_no_job_left();
}

TEST_F(SlurmRuns, AnInterruptedLauncherStopsItsJobWhichReportsWhatItHas) {
  const Ran ran = run_on_host(
      train({"--launcher=slurm", "-n", "2", "--num-batches=1000000", "--result", "r.json"}),
      [&] { signal(processes("--launcher=slurm -n 2"), SIGINT); });
  EXPECT_EQ(ran.exit_code(), 130) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("total images/sec")) << ran.err;
  ASSERT_TRUE(fs::exists(path("r.json"))) << ran.err;
  EXPECT_EQ(read_result(path("r.json")).status, "interrupted");
  expect_no_job_left();
}

TEST_F(SlurmRuns, AKilledLauncherTakesItsJobWithIt) {
  const Ran ran = run_on_host(train({"--launcher=slurm", "-n", "2", "--num-batches=1000000"}),
                              [&] { signal(processes("--launcher=slurm -n 2"), SIGKILL); });
  EXPECT_NE(ran.exit_code(), 0);
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
