// What is made of predictions: plans, bands, and results beside measured ones.
#include <gmock/gmock.h>

#include <set>

#include "base/error.h"
#include "config/run_id.h"
#include "sim/answers/reach_target.h"
#include "sim/answers/simulated_result.h"
#include "sim/answers/what_if.h"
#include "sim/cluster/cluster_file.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

Cluster cluster_with(const std::string& more) {
  ReadCluster read =
      read_cluster("nodes = 8\ndevices_per_node = 2\n[network]\nline_gbit = 10\n" + more, "made");
  EXPECT_TRUE(read.problems.empty()) << read.problems.front();
  read.cluster.name = "made";
  return read.cluster;
}

Scenario run_of(const std::string& strategy, int devices) {
  Scenario scenario{.batch = 64, .one_device_step = 0.3, .devices = devices};
  set_strategy(strategy, scenario);
  return scenario;
}

RunResult result_of(const Cluster& cluster, const Scenario& scenario) {
  const Workload& workload = workload_of("resnet50");
  const Prediction prediction = predict(cluster, workload, scenario);
  return simulated_result(
      {.cluster = cluster, .workload = workload, .scenario = scenario, .prediction = prediction},
      config_of(cluster, workload, scenario));
}

TEST(OwnServers, LeaveFewerNodesToWorkers) {
  const Cluster cluster = cluster_with("[servers]\non_workers = false\n");
  const Workload& workload = workload_of("resnet50");
  EXPECT_NO_THROW(predict(cluster, workload, run_of("parameter_server", 8)));
  EXPECT_THROW(predict(cluster, workload, run_of("parameter_server", 10)), UsageError)
      << "5 nodes of workers and as many servers";
  Scenario many = run_of("parameter_server", 2);
  many.servers = 8;
  EXPECT_THROW(predict(cluster, workload, many), UsageError);
  EXPECT_NO_THROW(predict(cluster, workload, run_of("replicated", 16)));
}

TEST(OwnServers, AreAmongTheNodesOfAPlan) {
  const Cluster cluster = cluster_with("[servers]\non_workers = false\ncount = 3\n");
  for (const Plan& plan :
       plans_for(cluster, workload_of("resnet50"), run_of("replicated", 1), 800)) {
    const bool served = plan.strategy != "replicated" && plan.strategy != "horovod";
    EXPECT_EQ(plan.nodes, plan.devices / 2 + (served ? 3 : 0)) << plan.strategy;
  }
}

TEST(Bands, OnlyWhatWasMeasuredVaries) {
  const auto band = [](const std::string& rank, const std::string& node) {
    const Cluster cluster = cluster_with(
        fmt::format("[jitter]\nrank = {{ value = 0.01, {} = \"own\" }}\nnode = {{ value = 0.05, {} "
                    "= \"own\" }}\n",
                    rank, node));
    const Scenario scenario = run_of("replicated", 16);
    return band_of(cluster, scenario, predict(cluster, workload_of("resnet50"), scenario));
  };
  const auto both = band("measured", "measured"), ranks = band("measured", "assumed");
  EXPECT_FALSE(band("assumed", "stated"));
  ASSERT_TRUE(both && ranks);
  EXPECT_LT(ranks->high - ranks->low, 0.6 * (both->high - both->low));
}

TEST(SimulatedResult, HasTheBandOfItsSteps) {
  const std::string jitter = "[jitter]\nrank = { value = 0.02, ";
  const Summary known =
      result_of(cluster_with(jitter + "measured = \"own\" }\n"), run_of("replicated", 8)).summary;
  EXPECT_LT(known.p5_step, known.median_step);
  EXPECT_GT(known.p95_step, known.median_step);
  const Summary assumed =
      result_of(cluster_with(jitter + "assumed = \"own\" }\n"), run_of("replicated", 8)).summary;
  EXPECT_EQ(assumed.p5_step, assumed.p95_step);
}

TEST(SimulatedResult, StatesTheServersThatWereUsed) {
  const Cluster cluster = cluster_with("");
  EXPECT_EQ(result_of(cluster, run_of("parameter_server", 16)).facts.servers, 8) << "one per node";
  EXPECT_EQ(result_of(cluster, run_of("replicated", 16)).facts.servers, 0);
  EXPECT_EQ(result_of(cluster, run_of("parameter_server", 1)).facts.servers, 1);
}

TEST(SimulatedResult, RunsThatDifferHaveNamesOfTheirOwn) {
  const Cluster cluster = cluster_with("");
  std::vector<Scenario> runs(7, run_of("replicated", 2));
  runs[1].transport = "rdma";
  runs[2].algorithm = "tree";
  runs[3].sharded = true;
  runs[4].real_data = true;
  runs[5].per_node = 1;
  runs[6].overlap = false;
  std::set<std::string> ids;
  for (const Scenario& each : runs) {
    ids.insert(run_id(config_of(cluster, workload_of("resnet50"), each)));
  }
  EXPECT_EQ(ids.size(), runs.size());
  EXPECT_EQ(config_of(cluster, workload_of("resnet50"), runs[1]).engine, "made (rdma)");
}

}  // namespace
}  // namespace lockstep
