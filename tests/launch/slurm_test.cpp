#include "launch/slurm.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "process/run_commands.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
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
          .batch_arguments = {},
          .output = "/logs/100%/lockstep"};
}

// Outside an allocation; the launcher inside is told something else than its processes.
LaunchJob submitted_job() {
  LaunchJob job = job_on_two_nodes();
  job.batch_arguments = {"--model=it's", "--launcher=slurm"};
  return job;
}

TEST(PlanSrun, PlacesTasksInRankOrder) {
  const LaunchPlan plan = plan_slurm(job_on_two_nodes());
  const std::string words = fmt::format("{}", fmt::join(plan.commands.at(0).argv, " "));
  EXPECT_THAT(words,
              HasSubstr("--nodes=2 --ntasks=3 --distribution=arbitrary --nodelist=n1,n2,n1 "));
  EXPECT_THAT(words, HasSubstr("--cpu-bind=none"));
  EXPECT_THAT(words, Not(HasSubstr("secret")));
  EXPECT_EQ(plan.processes.at(2).role, "server 0");
}

TEST(PlanSbatch, WritesAScriptWithAllWordsQuoted) {
  LaunchJob job = submitted_job();
  job.sbatch_options = {"--time=10", "--partition=a b"};
  const LaunchPlan plan = plan_slurm(job);
  EXPECT_EQ(plan.batch_script,
            "#!/bin/sh\n#SBATCH --job-name=lockstep\n#SBATCH --nodes=2\n#SBATCH --exclusive\n"
            "#SBATCH --no-requeue\n"
            "#SBATCH --time=10\n#SBATCH --partition=a b\n"
            "exec '/opt/lock step' train '--model=it'\\''s' --launcher=slurm\n");
  EXPECT_EQ(plan.processes.at(0).argv,
            (std::vector<std::string>{"/opt/lock step", "train", "--model=it's"}));
  EXPECT_THAT(plan.commands.at(0).argv,
              ::testing::Contains("--output=/logs/100%%/lockstep-%j.log"));
}

TEST(PlanSbatch, RejectsInvalidOptions) {
  LaunchJob job = submitted_job();
  job.sbatch_options = {"--time=10\nrm -r x"};
  EXPECT_THROW(plan_slurm(job), UsageError);
  job.sbatch_options = {"10"};
  EXPECT_THROW(plan_slurm(job), UsageError);
}

// Slurm's commands as scripts: what the command that submits and waits makes of their answers.
class SubmitAndWait : public ::testing::Test {
 protected:
  void SetUp() override { program("sbatch", "cat >/dev/null; echo '17;cluster'"); }

  void program(const std::string& name, const std::string& text) const {
    const fs::path path = directory_ / name;
    std::ofstream(path) << "#!/bin/sh\ncd '" << directory_.string() << "'\n" << text << "\n";
    fs::permissions(path, fs::perms::owner_all);
  }

  // The lines that it writes after the job's number; the user asks it to stop after the first.
  std::vector<std::string> lines() const {
    Command command = plan_slurm(submitted_job()).commands.at(0);
    command.env["PATH"] = directory_.string() + ":/usr/bin:/bin";
    std::vector<std::string> lines;
    run_commands(std::span(&command, 1), {.interrupted_grace = Seconds(60)},
                 {.line =
                      [&](const OutputLine& line) {
                        if (line.from_stderr) return Next::Continue;
                        if (line.text != "17 SUBMITTED None") lines.push_back(line.text);
                        return Next::Continue;
                      },
                  .poll = [&] { return lines.empty() ? Next::Continue : Next::Stop; }});
    return lines;
  }

  TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path();
};

TEST_F(SubmitAndWait, AJobThatTheControllerNoLongerKnowsHasEnded) {
  program("scontrol", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
  EXPECT_THAT(lines(), ElementsAre("17 END UNKNOWN (the controller no longer knows it)"));
}

TEST_F(SubmitAndWait, APendingJobIsCancelledAndNotInterrupted) {
  program("scontrol",
          "s=PENDING; [ ! -e asked ] || s=CANCELLED\n"
          "echo \"JobId=17 JobState=$s Reason=Resources ExitCode=0:0\"");
  program("scancel", "[ \"$*\" = 17 ] && echo >asked");
  EXPECT_THAT(lines(), ElementsAre("17 PENDING Resources", "17 END CANCELLED 0:0"));
}

TEST_F(SubmitAndWait, ARunningJobIsInterruptedAndMayFinish) {
  program("scontrol",
          "s=RUNNING; [ ! -e asked ] || s=COMPLETED\n"
          "echo \"JobId=17 JobState=$s Reason=None ExitCode=0:0\"");
  program("scancel", "[ \"$*\" = '--batch --signal=USR1 17' ] && echo >asked");
  EXPECT_THAT(lines(), ElementsAre("17 RUNNING None", "17 END COMPLETED 0:0"));
}

TEST_F(SubmitAndWait, AJobThatLosesASignalWhileItStartsIsSignalledAgain) {
  program("scontrol",
          "s=RUNNING; [ ! -e again ] || s=COMPLETED\n"
          "echo \"JobId=17 JobState=$s Reason=None ExitCode=0:0\"");
  program("scancel", "[ ! -e asked ] || echo >again; echo >asked");
  EXPECT_THAT(lines(), ElementsAre("17 RUNNING None", "17 END COMPLETED 0:0"));
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
