#include "launch/slurm.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "base/error.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

LaunchJob job_on_two_nodes() {
  return {.program = "/opt/lock step",
          .version = "1",
          .command = "train",
          .arguments = {"--model=it's"},
          .hosts = {{"n1", "n1"}, {"n2", "n2"}},
          .ranks = {{0, false, 0}, {1, false, 1}, {2, true, 0}},
          .environment = {{"LOCKSTEP_TOKEN", "secret"}},
          .output = "/logs/100%/lockstep"};
}

TEST(PlanSrun, LaysTasksOutInTheOrderOfTheirRanks) {
  const LaunchPlan plan = plan_srun(job_on_two_nodes());
  const std::string words = fmt::format("{}", fmt::join(plan.commands.at(0).argv, " "));
  EXPECT_THAT(words,
              HasSubstr("--nodes=2 --ntasks=3 --distribution=arbitrary --nodelist=n1,n2,n1 "));
  EXPECT_THAT(words, HasSubstr("--cpu-bind=none"));
  EXPECT_THAT(words, Not(HasSubstr("secret")));
  EXPECT_EQ(plan.processes.at(2).role, "server 0");
}

TEST(PlanSbatch, WritesAScriptInWhichNothingIsLeftToTheShell) {
  LaunchJob job = job_on_two_nodes();
  job.sbatch_options = {"--time=10", "--partition=a b"};
  const LaunchPlan plan = plan_sbatch(job, {.nodes = 2, .tasks_per_node = 2});
  EXPECT_EQ(plan.batch_script,
            "#!/bin/sh\n#SBATCH --job-name=lockstep\n#SBATCH --nodes=2\n"
            "#SBATCH --ntasks-per-node=2\n#SBATCH --exclusive\n#SBATCH --time=10\n"
            "#SBATCH --partition=a b\nexec '/opt/lock step' train '--model=it'\\''s'\n");
  EXPECT_THAT(plan.commands.at(0).argv,
              ::testing::Contains("--output=/logs/100%%/lockstep-%j.log"));
}

TEST(PlanSbatch, RefusesOptionsThatAreNoLine) {
  LaunchJob job = job_on_two_nodes();
  job.sbatch_options = {"--time=10\nrm -r x"};
  EXPECT_THROW(plan_sbatch(job, {}), UsageError);
  job.sbatch_options = {"10"};
  EXPECT_THROW(plan_sbatch(job, {}), UsageError);
}

TEST(BatchNews, HasJobStateAndReason) {
  const BatchNews news = parse_batch_news("17 PENDING Resources");
  EXPECT_EQ(news.job, "17");
  EXPECT_EQ(news.state, "PENDING");
  EXPECT_EQ(news.more, "Resources");
  EXPECT_EQ(parse_batch_news("17 END FAILED 1:0").more, "FAILED 1:0");
}

}  // namespace
}  // namespace lockstep
