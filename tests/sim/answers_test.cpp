// What is made of predictions: reasons, what-ifs, plans, bands, and results beside measured ones.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "config/run_id.h"
#include "sim/answers/explain.h"
#include "sim/answers/reach_target.h"
#include "sim/answers/simulated_result.h"
#include "sim/cluster/ready_clusters.h"
#include "sim/made_cluster.h"

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

TEST(Explain, NamesTheNetworkWhenItIsSlow) {
  Scenario scenario = run_of("horovod", 64);
  scenario.wire_scale = 0.1;
  const Cluster cluster = small_cluster();
  const Prediction each = predict(cluster, workload_of("vgg16"), scenario);
  const Explanation why = explain(cluster, workload_of("vgg16"), scenario, each);
  EXPECT_EQ(why.limit, Limit::Bandwidth);
  EXPECT_THAT(why.sentence(), HasSubstr("limited by network bandwidth"));
}

TEST(Explain, NamesAHotServer) {
  const Cluster cluster = small_cluster();
  const Scenario scenario = run_of("parameter_server", 64);
  const Prediction each = predict(cluster, workload_of("vgg16"), scenario);
  EXPECT_EQ(explain(cluster, workload_of("vgg16"), scenario, each).limit, Limit::HotServer);
}

TEST(Explain, ANetworkThatIsFastEnoughLeavesCompute) {
  Cluster cluster = small_cluster();
  cluster.jitter = {0, 0};
  Scenario scenario = run_of("replicated", 4);
  scenario.one_device_step = 3;
  const Prediction each = predict(cluster, workload_of("resnet50"), scenario);
  EXPECT_EQ(explain(cluster, workload_of("resnet50"), scenario, each).limit, Limit::Compute);
}

TEST(WhatIf, EveryChangeOfTheTableApplies) {
  for (const ChangeKind& kind : change_kinds()) {
    const std::string text =
        kind.value.empty() ? std::string(kind.name) : fmt::format("{}={}", kind.name, kind.value);
    EXPECT_NO_THROW(changed(text, small_cluster(), run_of("horovod", 16))) << text;
  }
}

TEST(WhatIf, WrongOnesAreRefused) {
  for (const char* text : {"bandwidth", "bandwidth=fast", "bandwidth=-1", "no-overlap=1",
                           "slow-nodes=1", "strategy=telepathy", "colour=red", "batch-size=0"}) {
    EXPECT_THROW(changed(text, small_cluster(), run_of("horovod", 16)), UsageError) << text;
  }
}

TEST(WhatIf, ServersTakeGradientsUncompressed) {
  Scenario scenario = run_of("parameter_server", 16);
  EXPECT_THROW(changed("compression=fp16", small_cluster(), scenario), UsageError);
  EXPECT_NO_THROW(changed("compression=none", small_cluster(), scenario));
  const Workload& workload = workload_of("resnet50");
  const Prediction each = predict(small_cluster(), workload, scenario);
  for (const Improvement& improvement :
       explain(small_cluster(), workload, scenario, each).improvements) {
    EXPECT_NE(improvement.what, "gradients in fp16");
  }
  scenario = run_of("horovod", 16);
  scenario.gradient_scale = 0.5;
  EXPECT_EQ(changed("strategy=parameter_server", small_cluster(), scenario).scenario.gradient_scale,
            1);
}

TEST(WhatIf, ASlowNodeSlowsEveryone) {
  const Scenario scenario = run_of("horovod", 16);
  const Change change = changed("slow-nodes=1@0.8", small_cluster(), scenario);
  const Workload& workload = workload_of("resnet50");
  EXPECT_GT(predict(change.cluster, workload, change.scenario).step,
            1.15 * predict(small_cluster(), workload, scenario).step);
}

TEST(Target, IsReachedWithTheFewestNodes) {
  const Cluster cluster = small_cluster();
  const Workload& workload = workload_of("resnet50");
  const Scenario scenario = run_of("replicated", 1);
  const Plan best = plans_for(cluster, workload, scenario, 5000).front();
  ASSERT_GT(best.nodes, 1);
  EXPECT_GE(best.images_per_second, 5000);
  Scenario fewer = run_of(best.strategy, (best.nodes - 1) * 4);
  EXPECT_LT(predict(cluster, workload, fewer).images_per_second, 5000);
  EXPECT_GT(best.cost_per_million, 0);
}

TEST(Target, IsFoundAlsoWhereMoreNodesAreSlower) {
  Cluster cluster = small_cluster();
  cluster.servers.count = 1;
  cluster.servers.barrier_us = 20000;  // per pair of workers
  const Workload& workload = workload_of("resnet50");
  double most = 0;
  for (int nodes = 1; nodes <= cluster.nodes; ++nodes) {
    most = std::max(
        most, predict(cluster, workload, run_of("parameter_server", 4 * nodes)).images_per_second);
  }
  const auto plan_for = [&](double target) {
    const std::vector<Plan> plans = plans_for(cluster, workload, run_of("replicated", 1), target);
    return *std::ranges::find(plans, "parameter_server", &Plan::strategy);
  };
  EXPECT_GT(plan_for(0.999 * most).nodes, 0);
  EXPECT_EQ(plan_for(1.001 * most).nodes, 0);
  EXPECT_NEAR(plan_for(1.001 * most).images_per_second, most, 1e-9) << "the most that is reached";
}

TEST(Target, KeepsTheNumberOfServers) {
  Cluster cluster = small_cluster();
  cluster.servers.count = 1;
  const Workload& workload = workload_of("vgg16");
  const auto most_with = [&](int servers) {
    Scenario scenario = run_of("replicated", 1);
    scenario.servers = servers;
    const std::vector<Plan> plans = plans_for(cluster, workload, scenario, 1e9);
    return std::ranges::find(plans, "parameter_server", &Plan::strategy)->images_per_second;
  };
  EXPECT_GT(most_with(4), 1.05 * most_with(0));
}

TEST(Target, UsesAsManyDevicesOfANodeAsAreAskedFor) {
  Scenario scenario = run_of("replicated", 1);
  scenario.per_node = 2;
  const Plan plan = plans_for(small_cluster(), workload_of("resnet50"), scenario, 5000).front();
  EXPECT_EQ(plan.devices, 2 * plan.nodes);
}

TEST(Target, ThatNoNumberOfNodesReachesSaysSo) {
  EXPECT_EQ(plans_for(small_cluster(), workload_of("resnet50"), run_of("replicated", 1), 1e9)
                .front()
                .nodes,
            0);
}

}  // namespace
}  // namespace lockstep
