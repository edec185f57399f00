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
  std::vector<std::string> prefixed(std::vector<std::string> words,
                                    const std::vector<std::string>& argv) const {
    words.insert(words.end(), argv.begin(), argv.end());
    return words;
  }
};

TEST_F(SlurmRuns, TasksOfSrunAreOneRun) {
  const Ran ran = run_on_host(prefixed({"srun", "--nodes=2", "--ntasks=4"},
                                       train({"--result", path("r.json")})));
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("total images/sec"));
  EXPECT_EQ(read_result(path("r.json")).ranks.size(), 4u);
  expect_no_job_left();
}

TEST_F(SlurmRuns, InsideAnAllocationSrunStartsWorkersAndServersWhereTheyArePlanned) {
  const Ran ran = run_on_host(in_allocation(
      train({"--launcher=slurm", "-g", "1", "--variable-update=parameter_server", "--num-ps=1",
             "--result", path("r.json"), "--log-dir", path("logs")})));
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

TEST_F(SlurmRuns, ADryRunShowsTheScriptAndSubmitsNothing) {
  const Ran ran = run_on_host(
      train({"--launcher=slurm", "-n", "2", "--sbatch-option=--time=10", "--dry-run"}));
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
      train({"--launcher=slurm", "-n", "2", "--sbatch-option=--comment=x", "--interface=nowhere"}));
  EXPECT_EQ(late.exit_code(), 1);
  EXPECT_THAT(late.err, HasSubstr("nowhere"));
  EXPECT_THAT(late.err, HasSubstr("ended: failed 1:0"));
  expect_no_job_left();
}

TEST_F(SlurmRuns, AnInterruptedRunInsideAnAllocationReportsWhatItHas) {
  const Ran ran = run_on_host(
      in_allocation(train({"--launcher=slurm", "--num-batches=1000000", "--result", path("r.json")})),
      [&] {
        for (const pid_t launcher : processes("train --model=lenet --batch-size=4 --num-batches=6")) {
          if (!processes("srun --label").empty()) kill(launcher, SIGINT);
        }
      });
  EXPECT_THAT(ran.out, HasSubstr("total images/sec")) << ran.err;
  ASSERT_TRUE(fs::exists(path("r.json"))) << ran.err;
  EXPECT_EQ(read_result(path("r.json")).status, "interrupted");
  expect_no_job_left();
}

TEST_F(SlurmRuns, AnInterruptedLauncherStopsItsJobWhichReportsWhatItHas) {
  const Ran ran = run_on_host(
      train({"--launcher=slurm", "-n", "2", "--num-batches=1000000", "--result", "r.json"}), [&] {
        for (const pid_t launcher : processes("--launcher=slurm -n 2")) kill(launcher, SIGINT);
      });
  EXPECT_EQ(ran.exit_code(), 130) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("total images/sec")) << ran.err;
  ASSERT_TRUE(fs::exists(path("r.json"))) << ran.err;
  EXPECT_EQ(read_result(path("r.json")).status, "interrupted");
  expect_no_job_left();
}

TEST_F(SlurmRuns, AKilledLauncherTakesItsJobWithIt) {
  const Ran ran =
      run_on_host(train({"--launcher=slurm", "-n", "2", "--num-batches=1000000"}), [&] {
        for (const pid_t launcher : processes("--launcher=slurm -n 2")) kill(launcher, SIGKILL);
      });
  EXPECT_NE(ran.exit_code(), 0);
  expect_no_job_left();
}

TEST_F(SlurmRuns, AKilledWorkerEndsTheRunWithItsName) {
  const Ran ran = run_on_host(
      in_allocation(train({"--launcher=slurm", "--num-batches=1000000", "--stall-timeout=5"})), [&] {
        const auto workers = processes("train --model=lenet");
        ASSERT_FALSE(workers.empty());
        kill(workers.back(), SIGKILL);
      });
  EXPECT_NE(ran.exit_code(), 0);
  EXPECT_THAT(ran.err, HasSubstr("rank 1"));
  expect_no_job_left();
}

}  // namespace
}  // namespace lockstep
