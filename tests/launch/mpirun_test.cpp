#include "launch/mpirun.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "base/error.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kOpenMpi = "mpirun (Open MPI) 4.1.4\n";
constexpr const char* kHydra = "HYDRA build details:\n    Version: 4.0.2\n";

LaunchJob two_hosts(const std::string& version) {
  return {.program = "/opt/lockstep",
          .version = "1",
          .command = "train",
          .arguments = {"--model=$(x)"},
          .hosts = {{"a", "a"}, {"b", "ssh-b"}},
          .ranks = {{0, false, 0}, {1, false, 0}, {2, false, 1}},
          .environment = {{"LOCKSTEP_TOKEN", "secret"}},
          .mpirun_version = version};
}

std::string words_of(const LaunchPlan& plan) {
  return fmt::format("{}", fmt::join(plan.commands.at(0).argv, " "));
}

TEST(PlanMpirun, OpenMpiGetsRanksHostByHostWithoutBinding) {
  LaunchJob job = two_hosts(kOpenMpi);
  job.interface = "ib0";
  const std::string words = words_of(plan_mpirun(job));
  EXPECT_THAT(words, HasSubstr("--bind-to none"));
  EXPECT_THAT(words, HasSubstr("--mca btl_tcp_if_include ib0 --mca oob_tcp_if_include ib0"));
  EXPECT_THAT(words,
              HasSubstr("-np 2 -H a:2 /opt/lockstep train --model=$(x) : -np 1 -H ssh-b:1 "));
  EXPECT_THAT(words, Not(HasSubstr("--allow-run-as-root")));
  job.as_root = true;
  EXPECT_THAT(words_of(plan_mpirun(job)), HasSubstr("--allow-run-as-root"));
}

TEST(PlanMpirun, OpenMpiUsesTheNetworkThatAllHostsAreIn) {
  LaunchJob job = two_hosts(kOpenMpi);
  EXPECT_THAT(words_of(plan_mpirun(job)), Not(HasSubstr("_if_include")));
  job.hosts_network = "10.77.0.0/24";
  EXPECT_THAT(words_of(plan_mpirun(job)),
              HasSubstr("--mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include "
                        "10.77.0.0/24"));
  job.interface = "ib0";  // which this machine may lack
  EXPECT_THAT(words_of(plan_mpirun(job)),
              HasSubstr("--mca btl_tcp_if_include ib0 --mca oob_tcp_if_include 10.77.0.0/24"));
}

TEST(PlanMpirun, MpichNeedsTheNameOfAnInterface) {
  LaunchJob job = two_hosts(kHydra);
  job.interface = "10.77.0.0/24";
  EXPECT_THROW(plan_mpirun(job), UsageError);
}

TEST(PlanMpirun, SecretsAreInTheEnvironmentAndNotOnTheCommandLine) {
  for (const char* version : {kOpenMpi, kHydra}) {
    const LaunchPlan plan = plan_mpirun(two_hosts(version));
    EXPECT_THAT(words_of(plan), Not(HasSubstr("secret")));
    EXPECT_THAT(words_of(plan), HasSubstr("LOCKSTEP_TOKEN"));
    EXPECT_EQ(plan.commands.at(0).env.at("LOCKSTEP_TOKEN"), "secret");
  }
}

TEST(PlanMpirun, MpichGetsItsOwnOptions) {
  LaunchJob job = two_hosts(kHydra);
  job.interface = "ib0";
  const std::string words = words_of(plan_mpirun(job));
  EXPECT_THAT(words, HasSubstr("-prepend-rank -bind-to none -genvlist LOCKSTEP_TOKEN -iface ib0"));
  EXPECT_THAT(words, HasSubstr("-hosts a:2,ssh-b:1 -n 3 /opt/lockstep train"));
}

TEST(PlanMpirun, MpichGetsTheHostEvenIfThereIsOnlyOne) {
  LaunchJob job = two_hosts(kHydra);
  job.hosts.pop_back();
  job.ranks.pop_back();
  EXPECT_THAT(words_of(plan_mpirun(job)), HasSubstr("-hosts a:2 -n 2 "));
  job.hosts = {{"localhost", "localhost"}};
  EXPECT_THAT(words_of(plan_mpirun(job)), Not(HasSubstr("-hosts")));
}

TEST(PlanMpirun, OptionsForSshReachBothKinds) {
  LaunchJob job = two_hosts(kHydra);
  job.ssh.more = {"Port=2222"};
  const LaunchPlan mpich = plan_mpirun(job);
  EXPECT_THAT(words_of(mpich), HasSubstr("-launcher ssh"));
  EXPECT_EQ(mpich.commands.at(0).env.at("HYDRA_LAUNCHER_EXTRA_ARGS"),
            "-o BatchMode=yes -o Port=2222");
  job.mpirun_version = kOpenMpi;
  EXPECT_THAT(plan_mpirun(job).commands.at(0).argv,
              ::testing::Contains("-o BatchMode=yes -o Port=2222"));
  job.ssh.more = {"ProxyCommand=nc a b"};
  EXPECT_THROW(plan_mpirun(job), UsageError);
}

TEST(PlanMpirun, MpichCannotPlaceRanksOnAnEarlierHost) {
  LaunchJob job = two_hosts(kHydra);
  job.ranks.push_back({3, true, 0});
  EXPECT_THROW(plan_mpirun(job), UsageError);
  job.mpirun_version = kOpenMpi;
  EXPECT_NO_THROW(plan_mpirun(job));
}

TEST(PlanMpirun, AnotherMpirunIsRefused) {
  EXPECT_THROW(mpi_kind("mpirun of my own\n"), Error);
  EXPECT_EQ(mpi_kind("Intel(R) MPI Library for Linux* OS, Version 2021.6\n"), MpiKind::Mpich);
}

TEST(Mpirun, FitsALibraryOfItsKindAndMajorVersion) {
  EXPECT_TRUE(fits("mpirun (Open MPI) 4.1.4", "Open MPI v4.0.3"));
  EXPECT_FALSE(fits("mpirun (Open MPI) 5.0.1", "Open MPI v4.1.4"));
  EXPECT_FALSE(fits("HYDRA build details:", "Open MPI v4.1.4"));
  EXPECT_TRUE(fits("HYDRA build details:", "MPICH Version:\t4.0.2"));
  EXPECT_FALSE(fits("mpirun of my own", "Open MPI v4.1.4"));
}

}  // namespace
}  // namespace lockstep
