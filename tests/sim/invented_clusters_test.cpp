// Clusters that nobody published: predictions on them must still be possible physically, and both
// fidelities must agree on them.
#include <gmock/gmock.h>

#include "sim/answers/explain.h"
#include "sim/answers/what_if.h"
#include "sim/cluster/cluster_file.h"
#include "sim/message/message_fidelity.h"
#include "sim/step/predict.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Invented {
  std::string name, text;
  std::string model = "resnet50";
  double one_device_step = 0.18;  // seconds for 64 images
};

const Invented kInvented[] = {
    {"fat nodes",
     "nodes = 64\ndevices_per_node = 8\n[node]\nlinks = \"nvswitch4\"\n[network]\nline_gbit = "
     "400\ninterfaces = 8\ntransport = \"rdma\"\n",
     "resnet50", 0.03},
    {"thin nodes", "nodes = 64\n[network]\nline_gbit = 10\n[collectives]\nlibrary = \"gloo\"\n"},
    {"two racks",
     "nodes = 16\ndevices_per_node = 2\n[network]\nline_gbit = 25\nrack_nodes = "
     "8\noversubscription = 4\n[servers]\nworkers_per_node = 2\n"},
    {"one server", "nodes = 32\n[network]\nline_gbit = 10\n[servers]\ncount = 1\n", "inception3"},
    {"busy server", "nodes = 8\n[network]\nline_gbit = 1\n[servers]\ncount = 1\nrequest_us = 500\n",
     "googlenet", 2.0},
    {"processors",
     "nodes = 128\n[device]\nkind = \"cpu\"\n[node]\nlinks = \"shm\"\n[network]\nline_gbit = "
     "10\n[collectives]\nlibrary = \"mpi\"\n",
     "alexnet", 4.0},
};
constexpr const char* kStrategies[] = {"replicated", "horovod", "parameter_server",
                                       "distributed_replicated"};

Cluster cluster_of(const Invented& invented) {
  ReadCluster read = read_cluster(invented.text, invented.name);
  EXPECT_THAT(read.problems, IsEmpty());
  return std::move(read.cluster);
}

Scenario run_of(const Invented& invented, const std::string& strategy, int devices) {
  Scenario scenario{.batch = 64, .one_device_step = invented.one_device_step, .devices = devices};
  set_strategy(strategy, scenario);
  return scenario;
}

std::vector<int> devices_of(const Cluster& cluster) {
  std::vector<int> all;
  for (int devices = 1; devices < cluster.devices(); devices *= 2) all.push_back(devices);
  all.push_back(cluster.devices());
  return all;
}

TEST(InventedClusters, EfficiencyIsNeverAboveOneAndNeverGrowsWithNodes) {
  for (const Invented& each : kInvented) {
    const Cluster cluster = cluster_of(each);
    for (const char* strategy : kStrategies) {
      double before = 1;
      for (const int devices : devices_of(cluster)) {
        Scenario scenario = run_of(each, strategy, devices);
        scenario.servers = 1;  // else every node brings a server
        const Prediction now = predict(cluster, workload_of(each.model), scenario);
        const double efficiency = now.images_per_second / devices / (64 / each.one_device_step);
        EXPECT_GT(efficiency, 0) << each.name << " " << strategy << " " << devices;
        EXPECT_LE(efficiency, before + 1e-9) << each.name << " " << strategy << " " << devices;
        before = efficiency;
      }
    }
  }
}

TEST(InventedClusters, NoStepIsShorterThanItsBytesOverTheLinks) {
  for (const Invented& each : kInvented) {
    const Cluster cluster = cluster_of(each);
    const Workload& workload = workload_of(each.model);
    const double nodes = cluster.nodes;
    const double line = cluster.network.line_gbit * cluster.network.interfaces * 1e9 / 8;
    for (const char* strategy : {"replicated", "horovod"}) {
      const double step =
          predict(cluster, workload, run_of(each, strategy, cluster.devices())).step;
      EXPECT_GT(step, 2 * (nodes - 1) / nodes * workload.bytes / line) << each.name;
      EXPECT_GT(step, each.one_device_step) << each.name;
    }
  }
}

TEST(InventedClusters, EveryResourceThatGrowsHelpsOrDoesNothing) {
  for (const Invented& each : kInvented) {
    const Cluster cluster = cluster_of(each);
    const Workload& workload = workload_of(each.model);
    for (const char* strategy : kStrategies) {
      const Scenario scenario = run_of(each, strategy, cluster.devices());
      const double base = predict(cluster, workload, scenario).images_per_second;
      for (const char* what : {"bandwidth=2x", "node-bandwidth=2x", "software=2x", "latency=0.5x",
                               "compression=fp16", "no-jitter", "device-speed=1.5x"}) {
        if (scenario.uses_servers() && std::string_view(what) == "compression=fp16") continue;
        const Change change = changed(what, cluster, scenario);
        EXPECT_GE(predict(change.cluster, workload, change.scenario).images_per_second,
                  base * (1 - 1e-9))
            << each.name << " " << strategy << " " << what;
      }
      for (const char* what : {"bandwidth=0.5x", "no-overlap", "slow-nodes=1@0.5"}) {
        const Change change = changed(what, cluster, scenario);
        EXPECT_LE(predict(change.cluster, workload, change.scenario).images_per_second,
                  base * (1 + 1e-9))
            << each.name << " " << strategy << " " << what;
      }
    }
  }
}

TEST(InventedClusters, BothFidelitiesAgree) {
  if (!has_message_fidelity()) GTEST_SKIP() << "this build has no SimGrid";
  for (const Invented& each : kInvented) {
    const Cluster cluster = cluster_of(each);
    const Workload& workload = workload_of(each.model);
    for (const char* strategy : {"replicated", "parameter_server"}) {
      const Scenario scenario = run_of(each, strategy, std::min(32, cluster.devices()));
      const double ratio = predict(cluster, workload, scenario, FidelityKind::Message).step /
                           predict(cluster, workload, scenario).step;
      // Flows that share both a server's link and an uplink leave gaps on either.
      const bool both = cluster.network.rack_nodes > 0 && scenario.update != UpdateKind::AllReduce;
      EXPECT_NEAR(ratio, 1, both ? 0.05 : 0.02) << each.name << " " << strategy;
    }
  }
}

std::string why(const Cluster& cluster, const std::string& model, const Scenario& scenario) {
  const Workload& workload = workload_of(model);
  return explain(cluster, workload, scenario, predict(cluster, workload, scenario)).sentence();
}

TEST(InventedClusters, SayWhatReallyLimitsThem) {
  const Cluster thin = cluster_of(kInvented[1]);
  EXPECT_THAT(why(thin, "vgg16", run_of(kInvented[1], "replicated", 64)),
              HasSubstr("limited by network bandwidth"));
  const Cluster sockets = cluster_of(
      {"sockets", "nodes = 8\n[network]\nline_gbit = 100\n[collectives]\nversion = \"2.0\"\n"});
  EXPECT_THAT(why(sockets, "vgg16", run_of(kInvented[1], "horovod", 8)),
              HasSubstr("limited by the software that moves the bytes"))
      << "one thread of NCCL 2.0 moves 1.75 GB/s, whatever the link";
  const Cluster node = cluster_of({"node", "nodes = 1\ndevices_per_node = 8\n"});
  EXPECT_THAT(why(node, "vgg16", run_of(kInvented[1], "replicated", 8)),
              HasSubstr("limited by bandwidth inside nodes"));
  const std::string one =
      why(cluster_of(kInvented[3]), "inception3", run_of(kInvented[3], "parameter_server", 32));
  EXPECT_THAT(one, HasSubstr("limited by a hot server"));
  const Cluster long_ring =
      cluster_of({"long ring",
                  "nodes = 20000\n[network]\nline_gbit = 100\ntransport = \"rdma\"\n"
                  "[collectives]\nalgorithm = \"ring\"\n"});
  EXPECT_THAT(why(long_ring, "resnet50", run_of(kInvented[1], "replicated", 20'000)),
              HasSubstr("limited by latency"));
  Scenario slow = run_of(kInvented[0], "replicated", 16);
  slow.slow_nodes = 1;
  slow.slow_speed = 0.5;
  EXPECT_THAT(why(cluster_of(kInvented[0]), "resnet50", slow), HasSubstr("limited by slow nodes"));
}

}  // namespace
}  // namespace lockstep
