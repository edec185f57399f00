#include "run/rank/rank_identity.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "run/rank/slurm_identity.h"

namespace lockstep {
namespace {

Environment with(std::map<std::string, std::string> variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

Environment launcher_environment() {
  return with({{"LOCKSTEP_RANK", "2"},
               {"LOCKSTEP_SIZE", "4"},
               {"LOCKSTEP_STORE", "10.0.0.1:4321"},
               {"LOCKSTEP_TOKEN", "secret"},
               {"OMPI_COMM_WORLD_SIZE", "8"},
               {"OMPI_COMM_WORLD_RANK", "7"}});
}

TEST(RankIdentity, WithoutLauncherVariablesTheProcessIsAlone) {
  const RankIdentity identity = find_identity({}, with({}));
  EXPECT_EQ(identity.rendezvous, Rendezvous::None);
  EXPECT_EQ(identity.size, 1);
}

TEST(RankIdentity, ANumberThatNoRunHasIsRefused) {
  for (const char* size : {"99999999999", "-1", "x"}) {
    EXPECT_THROW(
        find_identity({}, with({{"OMPI_COMM_WORLD_SIZE", size}, {"OMPI_COMM_WORLD_RANK", "0"}})),
        Error)
        << size;
  }
}

TEST(RankIdentity, ARankAloneIsRefusedWithTheRemedy) {
  const auto complaint = [](std::map<std::string, std::string> variables) -> std::string {
    try {
      find_identity({}, with(std::move(variables)));
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint({{"LOCKSTEP_RANK", "1"}}),
            "LOCKSTEP_RANK is set, LOCKSTEP_SIZE is not: lockstep sets both for its workers; unset "
            "LOCKSTEP_RANK");
  EXPECT_NE(complaint({{"LOCKSTEP_RANK", "1"}, {"LOCKSTEP_SIZE", "2"}}).find("LOCKSTEP_STORE"),
            std::string::npos);
}

TEST(RankIdentity, OurLauncherComesBeforeMpi) {
  const RankIdentity identity = find_identity({}, launcher_environment());
  EXPECT_EQ(identity.rendezvous, Rendezvous::Store);
  EXPECT_EQ(identity.rank, 2);
  EXPECT_EQ(identity.size, 4);
  EXPECT_EQ(identity.store.text(), "10.0.0.1:4321");
  EXPECT_EQ(identity.token, "secret");
}

TEST(RankIdentity, OptionsComeBeforeTheLauncher) {
  const RunConfig run = {
      .job_name = "ps", .task_index = 1, .ps_hosts = "s0:1,s1:1", .worker_hosts = "w0:7,w1:7,w2:7"};
  const RankIdentity identity = find_identity(run, launcher_environment());
  EXPECT_EQ(identity.rendezvous, Rendezvous::OwnStore);
  EXPECT_EQ(identity.rank, 4);  // servers come after the workers
  EXPECT_EQ(identity.size, 5);
  EXPECT_EQ(identity.store.text(), "w0:7");
}

TEST(RankIdentity, Worker0WarnsOfATokenThatOthersCanDerive) {
  RunConfig run = {.job_name = "worker", .task_index = 0, .worker_hosts = "w0:7,w1:7"};
  EXPECT_TRUE(token_warning(find_identity(run, with({})))
                  .starts_with("warning: LOCKSTEP_TOKEN is not set: whoever can reach w0:7"));
  EXPECT_EQ(token_warning(find_identity(run, with({{"LOCKSTEP_TOKEN", "secret"}}))), "");
  run.task_index = 1;
  EXPECT_EQ(token_warning(find_identity(run, with({}))), "");
}

TEST(RankIdentity, AnEmptyEntryOfAListIsRefused) {
  const RunConfig run = {.job_name = "worker", .worker_hosts = "w0:7,,w1:7"};
  EXPECT_THROW(find_identity(run, with({})), UsageError);
}

TEST(RankIdentity, OpenMpiSaysRankAndSize) {
  const RankIdentity identity =
      find_identity({}, with({{"OMPI_COMM_WORLD_SIZE", "8"}, {"OMPI_COMM_WORLD_RANK", "7"}}));
  EXPECT_EQ(identity.rendezvous, Rendezvous::Mpi);
  EXPECT_EQ(identity.rank, 7);
  EXPECT_EQ(identity.size, 8);
}

TEST(RankIdentity, AnMpirunThatOurMpiCannotJoinIsRefused) {
  try {
    find_identity({}, with({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}}));
    FAIL() << "each process would train alone";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("--launcher mpirun --num-devices 2"),
              std::string::npos);
  }
  EXPECT_EQ(find_identity({}, with({{"PMI_SIZE", "1"}})).rendezvous, Rendezvous::None);
}

// A program without MPI under --launcher mpirun.
TEST(RankIdentity, OpenMpiSaysTheRankAndOurLauncherWhereTheStoreIs) {
  const RankIdentity identity = find_identity({}, with({{"LOCKSTEP_STORE", "10.0.0.1:4321"},
                                                        {"LOCKSTEP_SIZE", "8"},
                                                        {"OMPI_COMM_WORLD_SIZE", "8"},
                                                        {"OMPI_COMM_WORLD_RANK", "7"}}));
  EXPECT_EQ(identity.rendezvous, Rendezvous::Store);
  EXPECT_EQ(identity.rank, 7);
  EXPECT_EQ(identity.size, 8);
}

Environment slurm(std::map<std::string, std::string> more) {
  std::map<std::string, std::string> variables = {{"SLURM_PROCID", "3"},
                                                  {"SLURM_STEP_NUM_TASKS", "4"},
                                                  {"SLURM_STEP_NODELIST", "node[07-08]"},
                                                  {"SLURM_JOB_ID", "12"},
                                                  {"SLURM_STEP_ID", "1"}};
  variables.merge(more);
  return with(variables);
}

TEST(RankIdentity, SlurmTasksMeetOnTheFirstNodeAtAPortOfTheStep) {
  const RankIdentity identity = find_identity({}, slurm({}));
  EXPECT_EQ(identity.rendezvous, Rendezvous::OwnStore);
  EXPECT_EQ(identity.rank, 3);
  EXPECT_EQ(identity.size, 4);
  EXPECT_EQ(identity.store.host, "node07");
  EXPECT_GT(identity.store.port, 1024);
}

TEST(RankIdentity, WithPmixSlurmTasksMeetByMpi) {
  EXPECT_EQ(find_identity({}, slurm({{"PMIX_RANK", "3"}})).rendezvous, Rendezvous::Mpi);
}

TEST(RankIdentity, ABatchScriptIsNotATaskOfAStep) {
  EXPECT_EQ(find_identity({}, with({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}})).rendezvous,
            Rendezvous::None);
}

TEST(RankIdentity, TheFirstOfSlurmsNodesIsFound) {
  EXPECT_EQ(first_host("node[07-08,12]"), "node07");
  EXPECT_EQ(first_host("a,b[1-2]"), "a");
  EXPECT_EQ(first_host("alone"), "alone");
  EXPECT_EQ(first_host("n[3,5]"), "n3");
  EXPECT_EQ(first_host("rack[0-1]node[07-12],x"), "rack0node07");
}

TEST(RankIdentity, SlurmKnowsTheAddressesOfItsNodes) {
  EXPECT_EQ(node_address("NodeName=n1 Arch=x86_64 CoresPerSocket=1\n"
                         "   NodeAddr=127.0.0.1 NodeHostName=box Port=17001 Version=22.05.8\n"),
            "127.0.0.1");
  EXPECT_EQ(node_address("   NodeAddr=fe80::1\n"), "fe80::1");
  EXPECT_EQ(node_address("Node n9 not found\n"), "");
}

TEST(RankIdentity, InvalidOptionsAndVariablesAreRefused) {
  EXPECT_THROW(find_identity({.job_name = "worker"}, with({})), UsageError);
  EXPECT_THROW(
      find_identity({.job_name = "worker", .task_index = 2, .worker_hosts = "a:1,b:1"}, with({})),
      UsageError);
  EXPECT_THROW(find_identity({}, with({{"LOCKSTEP_RANK", "x"}})), Error);
}

TEST(Roles, TheLastProcessesAreServers) {
  const RunConfig run = {.variable_update = "parameter_server", .num_ps = 2};
  const RankIdentity identity = {.rendezvous = Rendezvous::Mpi, .rank = 0, .size = 8};
  const Roles roles = roles_of(run, identity);
  EXPECT_EQ(roles.workers, 6);
  EXPECT_FALSE(roles.is_server(5));
  EXPECT_TRUE(roles.is_server(6));
}

TEST(Roles, PsHostsImplyParameterServers) {
  RunConfig run = {.job_name = "ps", .ps_hosts = "s:1", .worker_hosts = "w:1,x:1"};
  EXPECT_TRUE(infer_strategy(run));
  const RankIdentity identity = find_identity(run, with({}));
  EXPECT_TRUE(roles_of(run, identity).is_server(identity.rank));
  EXPECT_EQ(roles_of(run, identity).workers, 2);
  run.variable_update = "horovod";
  EXPECT_FALSE(infer_strategy(run));
  EXPECT_THROW(roles_of(run, identity), UsageError);
}

TEST(Roles, ThereAreAsManyWorkersAsProcesses) {
  EXPECT_THROW(roles_of({.num_devices = 4}, {.rendezvous = Rendezvous::Mpi, .size = 2}),
               UsageError);
}

TEST(Roles, ServersInsideWorkersNeedNoProcess) {
  const RunConfig run = {
      .num_devices = 4, .variable_update = "parameter_server", .num_ps = 2, .ps_in_worker = true};
  const Roles roles = roles_of(run, {});
  EXPECT_EQ(roles.ranks(), 6);
  EXPECT_EQ(roles.processes(), 4);
}

TEST(Roles, AStrategyWithoutServersHasNone) {
  EXPECT_EQ(roles_of({.num_ps = 3}, {}).servers, 0);
  EXPECT_EQ(roles_of({.variable_update = "distributed_replicated"}, {}).servers, 1);
}

TEST(Roles, ThereMustBeWorkersAndEnoughOfThem) {
  const RunConfig servers = {.variable_update = "parameter_server", .num_ps = 2};
  EXPECT_THROW(roles_of(servers, {.rendezvous = Rendezvous::Mpi, .size = 2}), UsageError);
  RunConfig inside = servers;
  inside.ps_in_worker = true;
  EXPECT_THROW(roles_of(inside, {}), UsageError);
}

}  // namespace
}  // namespace lockstep
