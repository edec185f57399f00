#include "launch/launchers.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

std::string_view guessed(const RunConfig& run, bool in_allocation = false) {
  return launcher_for(run, in_allocation).name;
}

TEST(Launchers, AreGuessedFromWhatIsGiven) {
  EXPECT_EQ(guessed({.num_devices = 4}), "local");
  EXPECT_EQ(guessed({.hosts = "a,b"}), "ssh");
  EXPECT_EQ(guessed({.worker_hosts = "a:1,b:1"}), "ssh");
  EXPECT_EQ(guessed({.num_devices = 2}, /*in_allocation=*/true), "slurm");
  EXPECT_EQ(guessed({.hosts = "a,b"}, /*in_allocation=*/true), "ssh");
  EXPECT_EQ(guessed({.sbatch_option = {"--time=1"}}), "slurm");
}

TEST(Launchers, AreTakenByName) {
  EXPECT_EQ(guessed({.launcher = "mpirun", .hosts = "a,b"}), "mpirun");
  EXPECT_EQ(guessed({.launcher = "local"}, /*in_allocation=*/true), "local");
}

TEST(Launchers, ThisMachineHasNoNodes) {
  EXPECT_THROW(launcher_for({.nodes = 2}, false), UsageError);
}

TEST(PlannedProcesses, AreAllShownWithHostRoleAndCommand) {
  const LaunchJob job = {.program = "/opt/lockstep",
                         .version = "1",
                         .command = "train",
                         .arguments = {"--model=a b"},
                         .hosts = {{"here", "here"}},
                         .ranks = {{0, false, 0}, {1, true, 0}},
                         .rank_variable = "RANK"};
  const std::string text = describe(launcher_for({.num_devices = 2}, false).plan(job));
  EXPECT_THAT(text,
              HasSubstr("rank 0, worker 0, on here: /opt/lockstep train '--model=a b'\n"));
  EXPECT_THAT(text, HasSubstr("rank 1, server 0, on here: "));
  EXPECT_THAT(text, HasSubstr("port: "));
  EXPECT_THAT(text, HasSubstr("cores: "));
}

}  // namespace
}  // namespace lockstep
