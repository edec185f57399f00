// Runs that mpirun starts for our launcher.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "cluster/ran.h"
#include "process/processes.h"
#include "report/results/run_result.h"
#include "support/leaks.h"
#include "support/paths.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class MpirunRuns : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::vector<std::string> train(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"env",
                                      "--chdir=" + directory_.string(),
                                      kLeaksOfOpenMpi,
                                      lockstep_program(),
                                      "train",
                                      "--launcher=mpirun",
                                      "--model=lenet",
                                      "--batch-size=4",
                                      "--num-batches=6",
                                      "--num-warmup-batches=2",
                                      "--threads=1",
                                      "--init-learning-rate=1e-7"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path();
};

class MpirunOfSize : public MpirunRuns, public ::testing::WithParamInterface<int> {};

TEST_P(MpirunOfSize, IsOneRunWithALogPerRank) {
  const int ranks = GetParam();
  const Ran ran = run_to_its_end(
      train({fmt::format("-g{}", ranks), "--result", path("r.json"), "--log-dir", path("logs")}));
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.out,
              HasSubstr(fmt::format("Nodes: 1; Devices per node: {}; Images/sec: ", ranks)));
  EXPECT_EQ(read_result(path("r.json")).ranks.size(), static_cast<size_t>(ranks));
  EXPECT_EQ(std::distance(fs::directory_iterator(path("logs")), fs::directory_iterator()), ranks);
}

INSTANTIATE_TEST_SUITE_P(Ranks, MpirunOfSize, ::testing::Values(2, 4));

TEST_F(MpirunRuns, WriteLogsToADirectoryThatIsPrinted) {
  const Ran ran = run_to_its_end(train({"-g2"}));
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  const size_t said = ran.err.find("logs: lockstep-runs/");
  ASSERT_NE(said, std::string::npos) << ran.err;
  const fs::path logs = directory_ / ran.err.substr(said + 6, ran.err.find('\n', said) - said - 6);
  EXPECT_TRUE(fs::exists(logs / "rank-1-localhost.log"));
}

TEST_F(MpirunRuns, NoShellInterpretsUserInput) {
  const std::string odd = "r $(touch no) ;touch no2' \".json";
  const Ran ran = run_to_its_end(train({"-g2", "--result", odd}));
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_EQ(read_result(path(odd)).ranks.size(), 2u);
  EXPECT_NE(run_to_its_end(train({"-g2", "--model=$(touch no)"})).exit_code(), 0);
  EXPECT_NE(run_to_its_end(train({"--hosts=a;touch no"})).exit_code(), 0);
  for (const char* name : {"no", "no2"}) EXPECT_FALSE(fs::exists(path(name))) << name;
}

TEST_F(MpirunRuns, AnInterruptedRunReportsItsPartialResult) {
  std::vector<std::string> words = {"sh", "-c", "echo $$ >&2; exec \"$@\"", "sh"};
  for (const std::string& word :
       train({"-g2", "--num-batches=1000000", "--result", path("r.json")})) {
    words.push_back(word);
  }
  pid_t launcher = 0;
  const Command command = {.name = "the launcher", .argv = words};
  std::string out;
  const PlanOutcome outcome = run_commands(
      std::span(&command, 1), {.time = Seconds(250)}, {.line = [&](const OutputLine& line) {
        if (launcher == 0 && line.from_stderr) launcher = std::stoi(line.text);
        const bool speed = line.text.find("images/sec") != std::string::npos;
        if (speed && out.empty()) kill(launcher, SIGINT);
        if (speed) out += line.text + "\n";
        return Next::Continue;
      }});
  ASSERT_TRUE(outcome.commands.front().status);
  EXPECT_EQ(outcome.commands.front().status->code, 130);
  EXPECT_THAT(out, HasSubstr("total images/sec"));
  EXPECT_EQ(read_result(path("r.json")).status, RunStatus::Interrupted);
}

// Files of shared memory that these processes have mapped.
std::set<std::string> segments_of(const std::vector<pid_t>& processes) {
  std::set<std::string> files;
  for (const pid_t process : processes) {
    std::ifstream maps(fmt::format("/proc/{}/maps", process));
    for (std::string line; std::getline(maps, line);) {
      const size_t path = line.find("/dev/shm/");
      if (path != std::string::npos && fs::exists(line.substr(path)))
        files.insert(line.substr(path));
    }
  }
  return files;
}

TEST_F(MpirunRuns, AKilledLauncherEndsAllProcesses) {
  const std::string mark = "MPIRUN_TEST=" + directory_.string();
  std::vector<std::string> words = {"env", mark, "sh", "-c", "echo $$ >&2; exec \"$@\"", "sh"};
  for (const std::string& word : train({"-g2", "--num-batches=1000000"})) words.push_back(word);
  pid_t launcher = 0;
  std::vector<pid_t> all;
  std::set<std::string> segments;
  const Command command = {.name = "the launcher", .argv = words};
  run_commands(std::span(&command, 1), {.time = Seconds(250)},
               {.line = [&](const OutputLine& line) {
                 if (launcher == 0 && line.from_stderr) launcher = std::stoi(line.text);
                 if (all.empty() && line.text.find("images/sec") != std::string::npos) {
                   all = processes_with(mark);
                   segments = segments_of(all);
                   kill(launcher, SIGKILL);
                 }
                 return Next::Continue;
               }});
  EXPECT_GE(all.size(), 4u) << "launcher, mpirun, two ranks";
  for (const pid_t process : all) EXPECT_TRUE(ends_soon(process));
  EXPECT_FALSE(segments.empty());
  for (const std::string& segment : segments) EXPECT_FALSE(fs::exists(segment)) << segment;
}

TEST_F(MpirunRuns, AKilledRankEndsTheRunWithItsName) {
  const std::string mark = "MPIRUN_TEST=" + directory_.string();
  std::vector<std::string> words = {"env", mark};
  for (const std::string& word : train({"-g2", "--num-batches=1000000"})) words.push_back(word);
  std::vector<pid_t> all;
  const Ran ran = run_to_its_end(words, [&] {
    all = processes_with(mark);
    const std::vector<pid_t> victims = processes_with(mark, "OMPI_COMM_WORLD_RANK=1");
    ASSERT_EQ(victims.size(), 1u);
    kill(victims.front(), SIGKILL);
  });
  EXPECT_EQ(ran.exit_code(), 1) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("rank 1"));
  EXPECT_THAT(ran.err, HasSubstr("run stopped"));
  for (const pid_t process : all) EXPECT_TRUE(ends_soon(process));
}

TEST_F(MpirunRuns, TheExitCodeOfARankBecomesThatOfTheRun) {
  const Ran ran = run_to_its_end(train({"-g2", "--data-dir=nowhere"}));
  EXPECT_EQ(ran.exit_code(), 2) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("cannot read directory nowhere: No such file or directory"));
}

TEST_F(MpirunRuns, ADryRunShowsTheOptionsForOpenMpi) {
  const Ran ran = run_to_its_end(train({"-g2", "--interface=lo", "--dry-run"}));
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("--bind-to none"));
  EXPECT_THAT(ran.out, HasSubstr("btl_tcp_if_include lo"));
  EXPECT_THAT(ran.out, HasSubstr("rank 1, worker 1, on localhost: LOCKSTEP_TOKEN=... "));
}

TEST_F(MpirunRuns, MpichStartsRanksThatMeetAtTheLauncher) {
  constexpr const char* kHydra = "/usr/bin/mpiexec.hydra";
  if (!fs::exists(kHydra)) GTEST_SKIP() << "there is no " << kHydra << " (mpich)";
  std::ofstream(path("mpirun")) << "#!/bin/sh\nexec " << kHydra << " \"$@\"\n";
  fs::permissions(path("mpirun"), fs::perms::owner_all);
  std::vector<std::string> words = {"env", "PATH=" + directory_.string() + ":/usr/bin:/bin"};
  for (const std::string& word : train({"-g2", "--result", path("r.json")})) words.push_back(word);
  const Ran ran = run_to_its_end(words);
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_EQ(read_result(path("r.json")).ranks.size(), 2u);
}

TEST_F(MpirunRuns, AnUnknownMpirunOptionShowsTheErrorOfMpirun) {
  const Ran ran = run_to_its_end(train({"-g2", "--mpirun-option=--no-such-thing"}));
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("no-such-thing"));
}

}  // namespace
}  // namespace lockstep
