// Messages on SimGrid and closed formulas are each other's check.
#include <gmock/gmock.h>

#include "base/error.h"
#include "sim/answers/what_if.h"
#include "sim/cluster/cluster_file.h"
#include "sim/message/message_fidelity.h"
#include "sim/step/predict.h"

namespace lockstep {
namespace {

class Messages : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_message_fidelity()) GTEST_SKIP() << "this build has no SimGrid";
  }
};

Cluster cluster_of(const std::string& more, int devices_per_node = 1) {
  const ReadCluster read = read_cluster(
      fmt::format("nodes = 256\ndevices_per_node = {}\n[collectives]\nalgorithm = \"ring\"\n"
                  "[network]\nline_gbit = 10\ntransport = \"rdma\"\nspread = 0\n{}",
                  devices_per_node, more),
      "test");
  EXPECT_THAT(read.problems, ::testing::IsEmpty());
  return read.cluster;
}

double ratio(const Cluster& cluster, const Scenario& scenario, double bytes) {
  const Layout layout = layout_of(cluster, scenario);
  const ScheduleFidelity formulas(cluster, scenario, layout);
  return message_fidelity(cluster, scenario, layout)->all_reduce_seconds(bytes) /
         formulas.all_reduce_seconds(bytes);
}

TEST_F(Messages, AgreeWithTheFormulaWhereNothingContends) {
  for (const int nodes : {2, 5, 16}) {
    EXPECT_NEAR(ratio(cluster_of(""), {.devices = nodes}, 25e6), 1, 0.01) << nodes;
  }
  EXPECT_NEAR(ratio(cluster_of("", 4), {.devices = 32}, 25e6), 1, 0.01) << "four to a node";
  EXPECT_NEAR(ratio(cluster_of(""), {.devices = 8}, 1e3), 1, 0.01) << "latency";
}

TEST_F(Messages, AgreeBeyondTheRanksOfWhichEveryMessageIsSimulated) {
  EXPECT_NEAR(ratio(cluster_of(""), {.devices = 200}, 25e6), 1, 0.01);
}

TEST_F(Messages, AgreeAlsoWhereLinksInsideNodesAreTheSlowest) {
  const Cluster cluster = cluster_of("[node]\nring_gbyte = 0.5\n", 8);
  EXPECT_NEAR(ratio(cluster, {.devices = 128}, 25e6), 1, 0.01);
  EXPECT_NEAR(ratio(cluster, {.devices = 256}, 25e6), 1, 0.01);
}

TEST_F(Messages, AgreeOnAllAlgorithms) {
  const Cluster cluster = cluster_of("[transport.rdma]\nflow_gbit = 2\n", 4);
  for (const char* algorithm : {"tree", "hierarchical", "halving_doubling"}) {
    for (const int devices : {4, 8, 64, 256}) {
      const Scenario scenario{.devices = devices, .algorithm = algorithm};
      EXPECT_NEAR(ratio(cluster, scenario, 25e6), 1, 0.01) << algorithm << " " << devices;
    }
  }
  const Scenario six{.devices = 24, .algorithm = "halving_doubling"};
  EXPECT_THROW(message_fidelity(cluster, six, layout_of(cluster, six)), UsageError);
}

TEST_F(Messages, OfServersDoNotDependOnTheAlgorithmOfAllReduces) {
  const Cluster cluster = cluster_of("");
  Scenario scenario{.devices = 6, .algorithm = "halving_doubling"};
  set_strategy("parameter_server", scenario);
  EXPECT_NO_THROW(message_fidelity(cluster, scenario, layout_of(cluster, scenario)));
}

TEST_F(Messages, AgreeOnMeasuredHops) {
  Cluster cluster = cluster_of("", 2);
  cluster.collectives.sizes = {{.up_to_mb = 0.1, .latency_us = 20, .gbyte = 0.5},
                               {.up_to_mb = 10, .latency_us = 50, .gbyte = 1}};
  for (const double bytes : {1e5, 25e6}) {
    for (const double on_wire : {1.0, 0.5}) {
      const Scenario scenario{.devices = 16, .gradient_scale = on_wire};
      EXPECT_NEAR(ratio(cluster, scenario, bytes), 1, 0.01) << bytes << " " << on_wire;
    }
  }
}

TEST_F(Messages, AgreeOnAShuffledRingOverAnOversubscribedTree) {
  const Cluster cluster =
      cluster_of("rack_nodes = 8\noversubscription = 4\nrank_order = \"shuffled\"\n");
  EXPECT_NEAR(ratio(cluster, {.devices = 64}, 25e6), 1, 0.02);
  const Cluster ordered = cluster_of("rack_nodes = 8\noversubscription = 4\n");
  const Layout layout = layout_of(cluster, {.devices = 64});
  const Scenario scenario{.devices = 64};
  EXPECT_GT(ScheduleFidelity(cluster, scenario, layout).all_reduce_seconds(25e6),
            2 * ScheduleFidelity(ordered, scenario, layout).all_reduce_seconds(25e6));
}

TEST_F(Messages, AgreeOnServersThatAllWorkersAskAtOnce) {
  const Cluster cluster = cluster_of("[servers]\non_workers = false\ncount = 4\n");
  Scenario scenario{.devices = 16};
  set_strategy("parameter_server", scenario);
  const Layout layout = layout_of(cluster, scenario);
  std::vector<ServerSlice> slices;
  for (int i = 0; i < 8; ++i) slices.push_back({.server = i % 4, .bytes = 10e6, .ready = 0.01 * i});
  const ServerTraffic traffic{.slices = slices, .servers = 4, .workers = 16};
  const ScheduleFidelity formulas(cluster, scenario, layout);
  const auto messages = message_fidelity(cluster, scenario, layout);
  EXPECT_NEAR(messages->pull_seconds(traffic) / formulas.pull_seconds(traffic), 1, 0.02);
  EXPECT_NEAR(messages->push_end(traffic) / formulas.push_end(traffic), 1, 0.02);
}

TEST_F(Messages, AgreeOnServersThatShareTheirNodesWithWorkers) {
  for (const int nodes : {1, 2, 8}) {
    Scenario scenario{.devices = 4 * nodes};
    set_strategy("parameter_server", scenario);
    const Cluster cluster = cluster_of("[servers]\nworkers_per_node = 4\n", 4);
    const Layout layout = layout_of(cluster, scenario);
    std::vector<ServerSlice> slices;
    for (int i = 0; i < 2 * nodes; ++i) slices.push_back({.server = i % nodes, .bytes = 10e6});
    const ServerTraffic traffic{
        .slices = slices, .servers = nodes, .workers = 4 * nodes, .workers_per_node = 4};
    const ScheduleFidelity formulas(cluster, scenario, layout);
    const auto messages = message_fidelity(cluster, scenario, layout);
    EXPECT_NEAR(messages->pull_seconds(traffic) / formulas.pull_seconds(traffic), 1, 0.02) << nodes;
    EXPECT_NEAR(messages->push_end(traffic) / formulas.push_end(traffic), 1, 0.02) << nodes;
  }
}

TEST_F(Messages, AgreeOnStreamsThatAreSlowerThanTheLink) {
  const Cluster cluster =
      cluster_of("[servers]\non_workers = false\ncount = 2\nstream_gbyte = 0.05\n");
  Scenario scenario{.devices = 4};
  set_strategy("parameter_server", scenario);
  const Layout layout = layout_of(cluster, scenario);
  const ServerSlice slices[] = {{.server = 0, .bytes = 10e6}, {.server = 1, .bytes = 10e6}};
  const ServerTraffic traffic{.slices = slices, .servers = 2, .workers = 4};
  const ScheduleFidelity formulas(cluster, scenario, layout);
  const auto messages = message_fidelity(cluster, scenario, layout);
  EXPECT_NEAR(formulas.pull_seconds(traffic), 0.2, 1e-6);
  EXPECT_NEAR(messages->pull_seconds(traffic), 0.2, 0.004);
}

TEST_F(Messages, AgreeOnConnectionsThatAreSlowerThanTheLink) {
  Cluster cluster = cluster_of("[transport.rdma]\nflow_gbit = 2\n");
  for (const char* algorithm : {"ring", "tree"}) {
    for (const int nodes : {2, 3, 6, 16}) {
      const Scenario scenario{.devices = nodes, .algorithm = algorithm};
      EXPECT_NEAR(ratio(cluster, scenario, 25e6), 1, 0.02) << algorithm << " " << nodes;
    }
  }
}

TEST_F(Messages, AreRefusedForMoreNodesThanSimGridHasRoomFor) {
  Cluster cluster = cluster_of("");
  cluster.nodes = 100'000;
  const Scenario scenario{.devices = 100'000};
  EXPECT_THROW(message_fidelity(cluster, scenario, layout_of(cluster, scenario)), UsageError);
}

TEST_F(Messages, PredictTheSameStep) {
  const Cluster cluster = cluster_of("");
  Scenario scenario{.batch = 64, .one_device_step = 0.2, .devices = 16};
  const Workload& workload = workload_of("resnet50");
  EXPECT_NEAR(predict(cluster, workload, scenario, FidelityKind::Message).step /
                  predict(cluster, workload, scenario).step,
              1, 0.01);
}

TEST(MessagesAbsent, SayHowToGetThem) {
  if (has_message_fidelity()) return;
  const Cluster cluster = cluster_of("");
  EXPECT_THROW(message_fidelity(cluster, {.devices = 2}, layout_of(cluster, {.devices = 2})),
               UsageError);
}

}  // namespace
}  // namespace lockstep
