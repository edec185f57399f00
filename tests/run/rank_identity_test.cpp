#include "run/rank_identity.h"

#include <gtest/gtest.h>

#include <map>

#include "run/slurm_identity.h"
#include "base/error.h"

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

TEST(Place, WithoutAnySignTheProcessIsAlone) {
  const Place place = find_place({}, with({}));
  EXPECT_EQ(place.meeting, Meeting::Nobody);
  EXPECT_EQ(place.size, 1);
}

TEST(Place, OurLauncherComesBeforeMpi) {
  const Place place = find_place({}, launcher_environment());
  EXPECT_EQ(place.meeting, Meeting::Store);
  EXPECT_EQ(place.rank, 2);
  EXPECT_EQ(place.size, 4);
  EXPECT_EQ(place.store.text(), "10.0.0.1:4321");
  EXPECT_EQ(place.token, "secret");
}

TEST(Place, WhatTheUserSaysComesBeforeTheLauncher) {
  const RunConfig run = {
      .job_name = "ps", .task_index = 1, .ps_hosts = "s0:1,s1:1", .worker_hosts = "w0:7,w1:7,w2:7"};
  const Place place = find_place(run, launcher_environment());
  EXPECT_EQ(place.meeting, Meeting::OwnStore);
  EXPECT_EQ(place.rank, 4);  // servers come after the workers
  EXPECT_EQ(place.size, 5);
  EXPECT_EQ(place.store.text(), "w0:7");
}

TEST(Place, AnEmptyEntryOfAListIsNoProcessThatOthersWaitFor) {
  const RunConfig run = {.job_name = "worker", .worker_hosts = "w0:7,,w1:7"};
  EXPECT_THROW(find_place(run, with({})), UsageError);
}

TEST(Place, OpenMpiSaysRankAndSize) {
  const Place place =
      find_place({}, with({{"OMPI_COMM_WORLD_SIZE", "8"}, {"OMPI_COMM_WORLD_RANK", "7"}}));
  EXPECT_EQ(place.meeting, Meeting::Mpi);
  EXPECT_EQ(place.rank, 7);
  EXPECT_EQ(place.size, 8);
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

TEST(Place, SlurmTasksMeetOnTheFirstNodeAtAPortOfTheStep) {
  const Place place = find_place({}, slurm({}));
  EXPECT_EQ(place.meeting, Meeting::OwnStore);
  EXPECT_EQ(place.rank, 3);
  EXPECT_EQ(place.size, 4);
  EXPECT_EQ(place.store.host, "node07");
  EXPECT_GT(place.store.port, 1024);
}

TEST(Place, WithPmixSlurmTasksMeetByMpi) {
  EXPECT_EQ(find_place({}, slurm({{"PMIX_RANK", "3"}})).meeting, Meeting::Mpi);
}

TEST(Place, ABatchScriptIsNoTaskOfAStep) {
  EXPECT_EQ(find_place({}, with({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}})).meeting,
            Meeting::Nobody);
}

TEST(Place, TheFirstOfSlurmsNodesIsFound) {
  EXPECT_EQ(first_host("node[07-08,12]"), "node07");
  EXPECT_EQ(first_host("a,b[1-2]"), "a");
  EXPECT_EQ(first_host("alone"), "alone");
  EXPECT_EQ(first_host("n[3,5]"), "n3");
  EXPECT_EQ(first_host("rack[0-1]node[07-12],x"), "rack0node07");
}

TEST(Place, SlurmKnowsTheAddressesOfItsNodes) {
  EXPECT_EQ(node_address("NodeName=n1 Arch=x86_64 CoresPerSocket=1\n"
                         "   NodeAddr=127.0.0.1 NodeHostName=box Port=17001 Version=22.05.8\n"),
            "127.0.0.1");
  EXPECT_EQ(node_address("   NodeAddr=fe80::1\n"), "fe80::1");
  EXPECT_EQ(node_address("Node n9 not found\n"), "");
}

TEST(Place, NonsenseIsRefused) {
  EXPECT_THROW(find_place({.job_name = "worker"}, with({})), UsageError);
  EXPECT_THROW(
      find_place({.job_name = "worker", .task_index = 2, .worker_hosts = "a:1,b:1"}, with({})),
      UsageError);
  EXPECT_THROW(find_place({}, with({{"LOCKSTEP_RANK", "x"}})), Error);
}

TEST(Roles, OfAllProcessesTheLastAreServers) {
  const RunConfig run = {.variable_update = "parameter_server", .num_ps = 2};
  const Place place = {.meeting = Meeting::Mpi, .rank = 0, .size = 8};
  const Roles roles = roles_of(run, place);
  EXPECT_EQ(roles.workers, 6);
  EXPECT_FALSE(roles.is_server(5));
  EXPECT_TRUE(roles.is_server(6));
}

TEST(Roles, HostsOfServersMeanParameterServers) {
  RunConfig run = {.job_name = "ps", .ps_hosts = "s:1", .worker_hosts = "w:1,x:1"};
  EXPECT_TRUE(settle_strategy(run));
  const Place place = find_place(run, with({}));
  EXPECT_TRUE(roles_of(run, place).is_server(place.rank));
  EXPECT_EQ(roles_of(run, place).workers, 2);
  run.variable_update = "horovod";
  EXPECT_FALSE(settle_strategy(run));
  EXPECT_THROW(roles_of(run, place), UsageError);
}

TEST(Roles, ThereAreAsManyWorkersAsProcesses) {
  EXPECT_THROW(roles_of({.num_devices = 4}, {.meeting = Meeting::Mpi, .size = 2}), UsageError);
}

TEST(Roles, ServersInsideWorkersNeedNoProcess) {
  const RunConfig run = {
      .num_devices = 4, .variable_update = "parameter_server", .num_ps = 2, .ps_in_worker = true};
  const Roles roles = roles_of(run, {});
  EXPECT_EQ(roles.ranks(), 6);
  EXPECT_EQ(roles.processes(), 4);
}

TEST(Roles, WhoNeedsNoServersHasNone) {
  EXPECT_EQ(roles_of({.num_ps = 3}, {}).servers, 0);
  EXPECT_EQ(roles_of({.variable_update = "distributed_replicated"}, {}).servers, 1);
}

TEST(Roles, ThereMustBeWorkersAndEnoughOfThem) {
  const RunConfig servers = {.variable_update = "parameter_server", .num_ps = 2};
  EXPECT_THROW(roles_of(servers, {.meeting = Meeting::Mpi, .size = 2}), UsageError);
  RunConfig inside = servers;
  inside.ps_in_worker = true;
  EXPECT_THROW(roles_of(inside, {}), UsageError);
}

}  // namespace
}  // namespace lockstep
