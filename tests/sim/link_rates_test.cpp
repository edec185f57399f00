// What caps which link: wires, connections and libraries.
#include "sim/model/link_rates.h"

#include <gmock/gmock.h>

#include "sim/answers/what_if.h"
#include "sim/cluster/cluster_file.h"
#include "sim/model/fidelity.h"

namespace lockstep {
namespace {

using ::testing::IsEmpty;

Cluster cluster_of(const std::string& text) {
  ReadCluster read = read_cluster(text, "test");
  EXPECT_THAT(read.problems, IsEmpty());
  return std::move(read.cluster);
}

constexpr const char* kCapped =
    "nodes = 16\ndevices_per_node = 4\n[network]\nline_gbit = 25\nspread = 0\n"
    "[transport.tcp]\nflow_gbit = 5\nefficiency = 0.8\n[collectives]\nlibrary = \"lockstep\"\n"
    "[node]\nlinks = \"nvswitch\"\n";
constexpr double kLink = 2.5e9, kConnection = 0.625e9;

double bandwidth_seconds(const Cluster& cluster, const Scenario& scenario) {
  return collective_cost(cluster, scenario, layout_of(cluster, scenario)).line.seconds_per_byte;
}

TEST(Connections, CapARingButNotTheLinkOfAServerWithManyWorkers) {
  const Cluster cluster = cluster_of(kCapped);
  Scenario scenario{.devices = 64, .servers = 1};
  EXPECT_NEAR(bandwidth_seconds(cluster, scenario), 2 * 63 / 64.0 / kConnection, 1e-15);
  set_strategy("parameter_server", scenario);
  const Layout layout = layout_of(cluster, scenario);
  const ServerSlice slice{.server = 0, .bytes = 100e6};
  const ScheduleFidelity formulas(cluster, scenario, layout);
  const auto pull = [&](int workers) {
    return formulas.pull_seconds(
        {.slices = std::span(&slice, 1), .servers = 1, .workers = workers});
  };
  EXPECT_NEAR(pull(16), 15 * 100e6 / kLink, 1e-9) << "15 connections fill the link";
  EXPECT_NEAR(pull(2), 100e6 / kConnection, 1e-9) << "one does not";
}

TEST(Connections, AreAsManyAsRingsOrPeers) {
  const Cluster cluster = cluster_of(kCapped);
  const double around = 2 * 15 / 16.0, inside = 2 * 3 / 4.0 / 220e9;
  EXPECT_NEAR(bandwidth_seconds(cluster, {.devices = 64, .algorithm = "hierarchical"}),
              inside + around / kLink, 1e-13)
      << "four rings of 0.625 GB/s";
  EXPECT_NEAR(bandwidth_seconds(cluster, {.devices = 64, .algorithm = "tree"}),
              std::max(2 / kLink, 1 / kConnection), 1e-15)
      << "neighbours in both trees carry half for each";
}

TEST(Connections, OfNcclAreSeveralSinceTwoPointFour) {
  const auto rate = [](const std::string& more) {
    return neighbour_rate(cluster_of("nodes = 2\n[network]\nline_gbit = 25\n[transport.tcp]\n"
                                     "flow_gbit = 5\n" +
                                     more),
                          {.devices = 2});
  };
  EXPECT_DOUBLE_EQ(rate(""), 16 * kConnection) << "not given: the newest";
  EXPECT_DOUBLE_EQ(rate("[collectives]\nversion = \"2.3\"\n"), kConnection);
  EXPECT_DOUBLE_EQ(rate("[collectives]\nversion = \"2.7\"\n"), 16 * kConnection);
  EXPECT_DOUBLE_EQ(rate("flows = 4\n[collectives]\nversion = \"2.7\"\n"), 4 * kConnection);
}

TEST(MeasuredRates, AreNotLoweredByDefaults) {
  const auto rate = [](const std::string& entry, const std::string& more,
                       const Scenario& scenario) {
    return node_link_rate(
        cluster_of("nodes = 8\n[network]\nline_gbit = 100\n" + more + "[transport.tcp]\n" + entry),
        scenario, 8);
  };
  const std::string measured = "gbyte = { value = 10, measured = \"nccl-tests\" }\n";
  EXPECT_DOUBLE_EQ(rate(measured, "", {.devices = 8}), 10e9);
  EXPECT_DOUBLE_EQ(rate("gbyte = 10\n", "", {.devices = 8}), 4.5e9) << "an assumption";
  EXPECT_LT(rate(measured, "spread = 0.1\n", {.devices = 8}), 9.5e9) << "an entry of the file";
  EXPECT_DOUBLE_EQ(rate(measured, "[collectives]\ngbyte = 3\n", {.devices = 8}), 3e9)
      << "an entry of the file";
  EXPECT_LT(rate(measured, "", {.devices = 8, .library = "openmpi"}), 1e9) << "measured with NCCL";
}

TEST(MeasuredHops, HoldForTheirOwnTransportAlgorithmAndLibrary) {
  const Cluster cluster =
      cluster_of("nodes = 8\n[network]\nline_gbit = 10\n[collectives]\nsizes = [[100, 50, 1]]\n");
  const auto hops = [&](const Scenario& scenario) {
    return !collective_cost(cluster, scenario, layout_of(cluster, scenario)).sizes.empty();
  };
  EXPECT_TRUE(hops({.devices = 8}));
  EXPECT_TRUE(hops({.devices = 8, .transport = "tcp", .library = "nccl", .algorithm = "ring"}));
  EXPECT_FALSE(hops({.devices = 8, .transport = "rdma"}));
  EXPECT_FALSE(hops({.devices = 8, .library = "gloo"}));
  EXPECT_FALSE(hops({.devices = 8, .algorithm = "tree"}));
}

TEST(InsideNodes, LibrariesThatReduceInHostMemoryDoNotReachTheLinksOfDevices) {
  const Cluster dgx = cluster_of("nodes = 1\ndevices_per_node = 8\n[node]\nlinks = \"nvlink2\"\n");
  EXPECT_DOUBLE_EQ(inside_rate(dgx, {}, 8), 120e9);
  EXPECT_LT(inside_rate(dgx, {.library = "gloo"}, 8), 5e9);
  const Cluster processors = cluster_of(
      "nodes = 2\ndevices_per_node = 4\n[device]\nkind = \"cpu\"\n[network]\nline_gbit = 100\n"
      "[collectives]\nlibrary = \"mpi\"\n");
  EXPECT_LT(inside_rate(processors, {}, 4), node_ring_rate(processors, 4));
}

TEST(InsideNodes, ARateOfTheFileHoldsForItsOwnLibrary) {
  const Cluster cluster = cluster_of(
      "nodes = 1\ndevices_per_node = 8\n[node]\nring_gbyte = 30\n[collectives]\nlibrary = "
      "\"gloo\"\n");
  EXPECT_DOUBLE_EQ(inside_rate(cluster, {}, 8), 30e9);
  EXPECT_LT(inside_rate(cluster, {.library = "openmpi"}, 8), 1e9);
  const Change faster = changed("node-bandwidth=2x",
                                cluster_of("nodes = 1\ndevices_per_node = "
                                           "8\n[collectives]\nlibrary = "
                                           "\"gloo\"\n"),
                                {});
  EXPECT_LT(inside_rate(faster.cluster, faster.scenario, 8), 5e9) << "the library stays";
}

TEST(Libraries, AllReducesOfAClusterWithGrpcAreThoseOfItsDevices) {
  const auto with = [](const std::string& library) {
    return cluster_of("nodes = 8\n[network]\nline_gbit = 10\n[collectives]\nlibrary = \"" +
                      library + "\"\n");
  };
  EXPECT_EQ(library_of(with("grpc"), {}), "nccl");
  EXPECT_DOUBLE_EQ(bandwidth_seconds(with("grpc"), {.devices = 8}),
                   bandwidth_seconds(with("nccl"), {.devices = 8}));
}

}  // namespace
}  // namespace lockstep
