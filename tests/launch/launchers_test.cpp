#include "launch/launchers.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

std::string_view guessed(const RunConfig& run, bool in_allocation = false) {
  return launcher_for(run, in_allocation).name;
}

TEST(Launchers, AreChosenFromTheGivenOptions) {
  EXPECT_EQ(guessed({.num_devices = 4}), "local");
  EXPECT_EQ(guessed({.hosts = "a,b"}), "ssh");
  EXPECT_EQ(guessed({.worker_hosts = "a:1,b:1"}), "ssh");
  EXPECT_EQ(guessed({.num_devices = 2}, /*in_allocation=*/true), "slurm");
  EXPECT_EQ(guessed({.hosts = "a,b"}, /*in_allocation=*/true), "ssh");
  EXPECT_EQ(guessed({.sbatch_option = {"--time=1"}}), "slurm");
}

TEST(Launchers, AreFoundByName) {
  EXPECT_EQ(guessed({.launcher = "mpirun", .hosts = "a,b"}), "mpirun");
  EXPECT_EQ(guessed({.launcher = "local"}, /*in_allocation=*/true), "local");
}

TEST(Launchers, ThisMachineHasNoNodes) {
  EXPECT_THROW(launcher_for({.nodes = 2}, false), UsageError);
}

LaunchJob two_on(const std::vector<Host>& hosts) {
  return {.program = "/opt/lockstep",
          .version = "1",
          .command = "train",
          .arguments = {"--model=a b"},
          .hosts = hosts,
          .ranks = {{0, false, 0}, {1, true, hosts.size() - 1}},
          .environment = {{"STORE", "x:PORT"}, {"TOKEN", "secret"}},
          .rank_variable = "RANK",
          .cores = {"0-1"}};
}

TEST(PlannedProcesses, AreAllShownWithHostCoresEnvironmentAndCommand) {
  const LaunchJob job = two_on({{"here", "here"}});
  EXPECT_EQ(describe(launcher_for({.num_devices = 2}, false).plan(job), "TOKEN"),
            "rank 0, worker 0, on here, cores 0-1: "
            "RANK=0 STORE=x:PORT TOKEN=... /opt/lockstep train '--model=a b'\n"
            "rank 1, server 0, on here: "
            "RANK=1 STORE=x:PORT TOKEN=... /opt/lockstep train '--model=a b'\n"
            "port: a free port on this machine, loopback only\n"
            "cores: divided among the workers; each worker is pinned to its own\n"
            "started here: all of the above\n");
}

TEST(PlannedProcesses, NoLauncherShowsTheSecret) {
  LaunchJob job = two_on({{"a", "a"}, {"b", "b"}});
  job.program = "/bin/sh";  // a file that there is: by ssh it would be copied
  job.mpirun_version = "mpirun (Open MPI) 4.1.4\n";
  job.batch_arguments = {"--launcher=slurm"};
  for (const Launcher& launcher : launchers()) {
    const std::string text = describe(launcher.plan(job), "TOKEN");
    EXPECT_THAT(text, HasSubstr("TOKEN=...")) << launcher.name;
    EXPECT_THAT(text, ::testing::Not(HasSubstr("secret"))) << launcher.name;
  }
}

}  // namespace
}  // namespace lockstep
