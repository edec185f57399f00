// Open MPI over hosts: started by our launcher, or by the user's own mpirun as Horovod's users do.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cluster/ssh_cluster.h"
#include "report/results/run_result.h"
#include "support/leaks.h"
#include "support/paths.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

class MpirunHosts : public SshCluster {
 protected:
  Ran launch_by_mpirun(const std::string& hosts, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"--launcher=mpirun", "--hosts=" + hosts};
    words.insert(words.end(), more.begin(), more.end());
    return launch(words);
  }

  // The line that Horovod's users type, with their own ssh configuration.
  Ran own_mpirun(const std::string& ranks, const std::string& hosts) {
    write_ssh_config();
    return run_on(0, {"env",
                      "--chdir=" + directory_.string(),
                      "LD_LIBRARY_PATH=/usr/local/lib",
                      kLeaksOfOpenMpi,
                      "OMPI_ALLOW_RUN_AS_ROOT=1",
                      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                      "mpirun",
                      "-np",
                      ranks,
                      "-H",
                      hosts,
                      "-bind-to",
                      "none",
                      "-map-by",
                      "slot",
                      "-x",
                      "LD_LIBRARY_PATH",
                      "-x",
                      "PATH",
                      "-mca",
                      "pml",
                      "ob1",
                      "-mca",
                      "btl",
                      "^openib",
                      lockstep_program(),
                      "train",
                      "--model",
                      "lenet",
                      "--batch_size",
                      "4",
                      "--num_batches",
                      "6",
                      "--num_warmup_batches",
                      "2",
                      "--variable_update",
                      "horovod"});
  }

  // An interface with the same address on every host, as Docker makes one: it leads to no other.
  void add_container_bridges() {
    for (int host = 0; host < hosts_->size(); ++host) {
      const Ran ran = run_on(host, {"sh", "-ec",
                                    "ip link add docker0 type bridge\n"
                                    "ip address add 172.17.0.1/16 dev docker0\n"
                                    "ip link set docker0 up\n"});
      ASSERT_EQ(ran.exit_code(), 0) << ran.err;
    }
  }

  static void expect_measured(const Ran& ran, const std::string& nodes) {
    EXPECT_EQ(ran.exit_code(), 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("total images/sec: "));
    EXPECT_THAT(ran.out, HasSubstr(nodes));
  }
};

TEST_F(MpirunHosts, AreOneRunWithALogPerRank) {
  const Ran ran =
      launch_by_mpirun("host0:1,host1:2,host2:1", {"--result", path("r.json"), "--log-dir=logs"});
  expect_measured(ran, "Nodes: 3; Devices per node: ");
  const RunResult result = read_result(path("r.json"));
  EXPECT_EQ(result.ranks.size(), 4u);
  EXPECT_EQ(result.facts.communicator, "hierarchical_mpi");
  for (const char* log : {"rank-0-host0", "rank-1-host1", "rank-2-host1", "rank-3-host2"}) {
    EXPECT_TRUE(std::filesystem::exists(path(fmt::format("logs/{}.log", log)))) << log;
  }
}

TEST_F(MpirunHosts, NeedNoHostNames) {
  forget_host_names();
  expect_measured(launch_by_mpirun("10.77.0.2:2,10.77.0.3:2"),
                  "Nodes: 2; Devices per node: 2; Images/sec: ");
}

TEST_F(MpirunHosts, MayHaveInterfacesThatLeadNowhere) {
  add_container_bridges();
  expect_measured(launch_by_mpirun("host0:1,host1:1,host2:1"), "Nodes: 3; Devices per node: 1");
  expect_measured(own_mpirun("4", "node1:2,node2:2"), "Nodes: 2; Devices per node: 2");
  forget_host_names();
  expect_measured(launch_by_mpirun("10.77.0.1:1,10.77.0.3:1"), "Nodes: 2; Devices per node: 1");
  expect_measured(own_mpirun("4", "node0:2,node2:2"), "Nodes: 2; Devices per node: 2");
}

TEST_F(MpirunHosts, MayNameTheirInterfacesDifferently) {
  for (const int host : {1, 2}) {
    const Ran ran = run_on(host, {"sh", "-ec",
                                  fmt::format("ip link set eth0 down\n"
                                              "ip link set eth0 name port{0}\n"
                                              "ip link set port{0} up\n",
                                              host)});
    ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  }
  expect_measured(launch_by_mpirun("host1:1,host2:1"), "Nodes: 2; Devices per node: 1");
  expect_measured(launch_by_mpirun("host1:1,host2:1", {"--interface=10.77.0.0/24"}),
                  "Nodes: 2; Devices per node: 1");
  const Ran refused = launch_by_mpirun("host1:1,host2:1", {"--interface=eth0"});
  EXPECT_EQ(refused.exit_code(), 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("unknown network interface 'eth0'"));
  EXPECT_THAT(refused.err, HasSubstr("or a network such as 10.0.0.0/24"));
}

TEST_F(MpirunHosts, RunTheLineOfHorovodsUsers) {
  expect_measured(own_mpirun("4", "host1:2,host2:2"),
                  "Nodes: 2; Devices per node: 2; Images/sec: ");
}

}  // namespace
}  // namespace lockstep
