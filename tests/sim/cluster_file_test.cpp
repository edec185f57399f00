// Cluster files: what they may say, and how they are refused.
#include "sim/cluster/cluster_file.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "base/error.h"
#include "sim/cluster/known_rates.h"
#include "sim/cluster/ready_clusters.h"
#include "support/paths.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kSmall = "nodes = 4\ndevices_per_node = 2\n[network]\nline_gbit = 10\n";

std::vector<std::string> problems_of(const std::string& text) {
  return read_cluster(text, "file").problems;
}

TEST(ClusterFile, NeedsOnlyNodesAndANetwork) {
  const ReadCluster read = read_cluster(kSmall, "file");
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_EQ(read.cluster.devices(), 8);
  EXPECT_EQ(read.cluster.network.transport, "tcp");
}

TEST(ClusterFile, KeepsTheOriginOfEveryEntry) {
  const ReadCluster read = read_cluster(
      "nodes = { value = 4, stated = \"a paper\" }\n[network]\nline_gbit = { value = 25, measured "
      "= "
      "\"iperf\" }\n",
      "file");
  ASSERT_THAT(read.problems, IsEmpty());
  EXPECT_EQ(read.cluster.notes.at("nodes").kind, EntryKind::Stated);
  EXPECT_EQ(read.cluster.notes.at("nodes").source, "a paper");
  EXPECT_EQ(read.cluster.notes.at("network.line_gbit").kind, EntryKind::Measured);
  EXPECT_EQ(read.cluster.notes.at("network.line_gbit").line, 3);
}

TEST(ClusterFile, NamesTheLineOfAnUnknownKey) {
  EXPECT_THAT(problems_of("nodes = 1\n[network]\nline_gbits = 10\n"),
              ElementsAre("file:3: unknown key network.line_gbits; did you mean "
                          "network.line_gbit?"));
}

TEST(ClusterFile, NamesTheLineOfAWrongValue) {
  EXPECT_THAT(problems_of("nodes = \"four\"\n"),
              ElementsAre("file:1: nodes must be a whole number from 0 to 10000000, not 'four'"));
  EXPECT_THAT(problems_of("nodes = 1\n[node]\nlinks = \"rope\"\n"),
              ElementsAre(HasSubstr("file:3: node.links must be one of pcie3")));
  EXPECT_THAT(problems_of("nodes = {value = 1, guessed = \"x\"}\n"),
              ElementsAre(HasSubstr("file:1: nodes must be { value = ..., stated")));
}

TEST(ClusterFile, KnowsTheDefaultsOfHorovodsVersions) {
  const auto read = [](const std::string& more) {
    return read_cluster(kSmall + std::string("[schedule]\n") + more, "file").cluster.schedule;
  };
  EXPECT_EQ(read("horovod_version = \"0.12\"\n").cycle_ms, 5);
  EXPECT_EQ(read("horovod_version = \"0.16\"\n").cycle_ms, 3.5);
  EXPECT_NEAR(read("horovod_version = \"0.28\"\n").fusion_mb, 134.2, 0.1);
  EXPECT_EQ(read("horovod_version = \"0.28\"\ncycle_ms = 7\n").cycle_ms, 7);
  EXPECT_NEAR(read("horovod_version = \"0.16\"\n").fusion_mb, 67.1, 0.1);
  EXPECT_EQ(read("").cycle_ms, 1) << "not given: the newest";
  EXPECT_NEAR(read("").fusion_mb, 134.2, 0.1);
}

// "transport.rdma.flows" is documented as transport.NAME.flows.
std::string documented_name(const std::string& key) {
  if (!key.starts_with("transport.")) return "`" + key + "`";
  return "`transport.NAME" + key.substr(key.rfind('.')) + "`";
}

TEST(ClusterFile, EveryKeyIsDocumented) {
  std::ifstream in(project_path("docs/simulating.md"));
  std::stringstream text;
  text << in.rdbuf();
  for (const std::string& key : cluster_keys()) {
    if (key == "description") continue;
    EXPECT_THAT(text.str(), HasSubstr(documented_name(key)));
  }
}

TEST(ClusterFile, RefusesImpossibleClusters) {
  EXPECT_THAT(problems_of("nodes = 2\n"),
              ElementsAre(HasSubstr("network.line_gbit must be above 0")));
  EXPECT_THAT(problems_of("nodes = 2\n[network]\nline_gbit = 0\n[collectives]\n"
                          "sizes = [[1, 10, 1]]\n"),
              ElementsAre(HasSubstr("file:3: network.line_gbit must be above 0")));
  EXPECT_THAT(problems_of("nodes = 0\n"), ElementsAre(HasSubstr("nodes must be at least 1")));
  EXPECT_THAT(problems_of(std::string(kSmall) + "[input]\nimages_per_core_second = 0\n"),
              ElementsAre("file:6: input.images_per_core_second must be above 0"));
  EXPECT_THAT(problems_of(std::string(kSmall) + "[servers]\ncount = 5\n"),
              ElementsAre("file:6: servers.count must be at most the 4 nodes, not 5"));
  EXPECT_THAT(problems_of(std::string(kSmall) + "oversubscription = 4\n"),
              ElementsAre(HasSubstr("needs network.rack_nodes")));
}

TEST(ClusterFile, RefusesContradictionsWithTheirLine) {
  const std::string small(kSmall);
  EXPECT_THAT(problems_of("nodes = { value = 1, stated = \"a\", measured = \"b\" }\n"),
              ElementsAre(HasSubstr("file:1: nodes must be { value = ..., stated")));
  EXPECT_THAT(problems_of("nodes = { value = 1, stated = \"\" }\n"),
              ElementsAre(HasSubstr("file:1: nodes must be { value = ..., stated")))
      << "an origin names its source";
  EXPECT_THAT(problems_of(small + "[transport.tcp]\ngbyte = 5\n"),
              ElementsAre("file:6: transport.tcp.gbyte must be at most the 1.25 GB/s of "
                          "network.line_gbit, not 5"));
  EXPECT_THAT(problems_of(small + "[device]\nkind = \"cpu\"\n[collectives]\nlibrary = \"nccl\"\n"),
              ElementsAre(HasSubstr("file:8: collectives.library nccl needs device.kind gpu")));
  EXPECT_THAT(problems_of(small + "[schedule]\nhorovod_version = \"new\"\n"),
              ElementsAre(HasSubstr("file:6: schedule.horovod_version must be a version")));
  EXPECT_THAT(problems_of(small + "[jitter]\nnode = 2\n"),
              ElementsAre(HasSubstr("file:6: jitter.node must be below 1")));
  EXPECT_THAT(problems_of(small + "[device]\nkind = \"cpu\"\n[node]\nlinks = \"nvlink2\"\n"),
              ElementsAre(HasSubstr("file:8: node.links must be shm with device.kind cpu")));
  EXPECT_THAT(problems_of(small + "rank_order = \"shuffled\"\n"),
              ElementsAre(HasSubstr("file:5: network.rank_order needs network.rack_nodes")));
  EXPECT_THAT(problems_of(small + "[servers]\nworkers_per_node = 3\n"),
              ElementsAre("file:6: servers.workers_per_node must be at most the 2 devices of a "
                          "node, not 3"));
  EXPECT_THAT(
      problems_of("calibrated_devices = 9\n" + small),
      ElementsAre("file:1: calibrated_devices must be at most the 8 devices of the cluster, "
                  "not 9"));
  EXPECT_THAT(problems_of(small + "[collectives]\ngbyte = 5\n"),
              ElementsAre("file:6: collectives.gbyte must be at most the 1.25 GB/s of "
                          "network.line_gbit, not 5"));
  EXPECT_THAT(
      problems_of("nodes = 1000000\ndevices_per_node = 1000000\n[network]\nline_gbit = 1\n"),
      ElementsAre(HasSubstr("file:2: devices_per_node must leave at most")));
}

TEST(ClusterFile, CpuNodesShareMemoryAndReduceWithoutNccl) {
  const Cluster cluster =
      read_cluster(std::string(kSmall) + "[device]\nkind = \"cpu\"\n", "f").cluster;
  EXPECT_EQ(cluster.node.links, "shm");
  EXPECT_EQ(cluster.collectives.library, "gloo");
}

TEST(ClusterFile, ReadyOnesMarkEveryEntryWithItsSource) {
  for (const std::string& name : ready_cluster_names()) {
    const Cluster cluster = load_cluster(name);
    for (const auto& [key, note] : cluster.notes) {
      if (key == "description") continue;
      EXPECT_FALSE(note.source.empty()) << name << ": " << key;
    }
    EXPECT_FALSE(cluster.description.empty()) << name;
  }
}

TEST(ClusterFile, IsFoundInItsDirectoryByEachSpellingOfItsName) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() / "my_net.toml") << kSmall;
  for (const char* name : {"my_net", "my-net", "my_net.toml", "my-net.toml"}) {
    EXPECT_EQ(load_cluster(name, directory.path().string()).name, "my_net") << name;
  }
  EXPECT_EQ(load_cluster("dgx-1.toml", directory.path().string()).devices(), 8) << "a ready one";
}

TEST(ClusterFile, RatesAreFoundWhateverTheSpellingOfTheModel) {
  const Cluster cluster =
      read_cluster(std::string(kSmall) + "[images_per_second]\n\"ResNet-50:64\" = 9\n", "f")
          .cluster;
  EXPECT_EQ(cluster.images_per_second.at("resnet50:64"), 9);
}

TEST(ClusterFile, RatesMayBeOfOnePrecision) {
  const Cluster cluster =
      read_cluster(std::string(kSmall) +
                       "[images_per_second]\n\"ResNet-50:64\" = 9\n\"resnet50:64:FP16\" = 20\n",
                   "f")
          .cluster;
  const auto rate = [&](const std::string& precision) {
    return known_rate(cluster, {.model = "resnet50", .batch = 64, .precision = precision});
  };
  EXPECT_EQ(rate("fp16"), 20);
  EXPECT_EQ(rate("fp32"), 9);
  EXPECT_EQ(rate(""), 9);
  EXPECT_EQ(rate("amp"), 9) << "better than none; validate names rows that are far above it";
  EXPECT_THAT(problems_of(std::string(kSmall) + "[images_per_second]\n\"resnet50:fp16\" = 9\n"),
              ElementsAre(HasSubstr("must be named by model and batch size")));
}

TEST(ClusterFile, AnUnknownNameListsTheKnownOnes) {
  try {
    load_cluster("horovod-511");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("horovod-512, horovod-512-tcp"));
  }
}

}  // namespace
}  // namespace lockstep
