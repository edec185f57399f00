// What any prediction must satisfy, whatever its constants.
#include "sim/step/predict.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/error.h"
#include "sim/cluster/cluster_file.h"
#include "sim/cluster/ready_clusters.h"
#include "sim/made_cluster.h"
#include "sim/model/expected_largest.h"
#include "sim/model/server_placement.h"
#include "sim/step/all_reduce_schedule.h"
#include "sim/step/server_step.h"

namespace lockstep {
namespace {

TEST(ExpectedLargest, IsThatOfTheNormalDistribution) {
  EXPECT_EQ(expected_largest(1), 0);
  EXPECT_NEAR(expected_largest(2), 0.564, 0.03);    // 1 / sqrt(pi)
  EXPECT_NEAR(expected_largest(100), 2.508, 0.02);  // tables of order statistics
  EXPECT_NEAR(normal_quantile(0.975), 1.959964, 1e-6);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232, 1e-6);
}

TEST(Predict, OneDeviceIsWhatWasMeasured) {
  const Prediction one = predict(small_cluster(), workload_of("resnet50"), run_of("replicated", 1));
  EXPECT_DOUBLE_EQ(one.step, 0.3);
  EXPECT_NEAR(one.images_per_second, 64 / 0.3, 1e-9);
}

TEST(Predict, PartsAddUpToTheStep) {
  for (const char* strategy :
       {"independent", "replicated", "horovod", "parameter_server", "distributed_replicated"}) {
    for (const int devices : {1, 2, 8, 64}) {
      const Prediction each =
          predict(small_cluster(), workload_of("vgg16"), run_of(strategy, devices));
      EXPECT_NEAR(each.forward + each.backward + each.exposed + each.late + each.input, each.step,
                  1e-12)
          << strategy << " " << devices;
    }
  }
}

TEST(Predict, AFasterNetworkNeverSlowsAStep) {
  for (const char* strategy : {"replicated", "horovod", "parameter_server"}) {
    double before = 1e9;
    for (const double scale : {0.1, 0.5, 1.0, 2.0, 10.0}) {
      Scenario scenario = run_of(strategy, 32);
      scenario.wire_scale = scale;
      const double step = predict(small_cluster(), workload_of("resnet50"), scenario).step;
      EXPECT_LE(step, before * (1 + 1e-9)) << strategy << " at " << scale;
      before = step;
    }
  }
}

TEST(Predict, OverlapHidesCommunication) {
  Scenario scenario = run_of("horovod", 64);
  const double hidden = predict(small_cluster(), workload_of("resnet101"), scenario).step;
  scenario.overlap = false;
  EXPECT_GT(predict(small_cluster(), workload_of("resnet101"), scenario).step, 1.05 * hidden);
}

TEST(Predict, OnlyCommunicationBesideBackwardSlowsIt) {
  const Cluster cluster = small_cluster();
  const Workload& vgg = workload_of("vgg16");
  Scenario scenario = run_of("horovod", 64);
  EXPECT_GT(predict(cluster, vgg, scenario).slowed, 0);
  EXPECT_LE(predict(cluster, vgg, scenario).slowed, 0.2 * 0.3 * 1.02) << "not more than all of it";
  for (const bool overlap : {false, true}) {
    scenario.overlap = overlap;
    scenario.scheduler = overlap ? "after_backward" : "horovod";
    const Prediction each = predict(cluster, vgg, scenario);
    EXPECT_EQ(each.slowed, 0);
    EXPECT_NEAR(each.forward + each.backward, 0.3 * (1 + cluster.schedule.overhead), 1e-12);
  }
  scenario = run_of("replicated", 64);
  scenario.bucket_mb = 1000;
  EXPECT_NEAR(predict(cluster, vgg, scenario).slowed, 0, 1e-3) << "one bucket is ready at the end";
}

TEST(Predict, ReachesAHundredThousandDevicesAlsoWithServersInRacks) {
  Cluster cluster = small_cluster();
  cluster.nodes = 25'000;
  cluster.network.rack_nodes = 16;
  cluster.network.oversubscription = 4;
  for (const char* strategy : {"replicated", "parameter_server"}) {
    const Prediction each = predict(cluster, workload_of("resnet50"), run_of(strategy, 100'000));
    EXPECT_GT(each.images_per_second, 0) << strategy;
  }
}

TEST(Predict, IsTheSameToTheLastDigit) {
  const auto once = [] {
    return predict(load_cluster("horovod-512"), workload_of("vgg16"), run_of("horovod", 512)).step;
  };
  EXPECT_EQ(once(), once());
}

TEST(Predict, RefusesMoreDevicesThanTheClusterHas) {
  EXPECT_THROW(predict(small_cluster(), workload_of("resnet50"), run_of("replicated", 257)),
               UsageError);
}

TEST(Predict, RefusesNoDevices) {
  EXPECT_THROW(predict(small_cluster(), workload_of("resnet50"), run_of("replicated", 0)),
               UsageError);
}

TEST(Predict, ARunWithRealDataContainsItsInput) {
  Cluster cluster = small_cluster();
  cluster.node.cores = 1;
  const Workload& workload = workload_of("resnet50");
  Scenario one = run_of("replicated", 1);
  one.real_data = true;
  const double rate = predict(cluster, workload, one).images_per_second;
  EXPECT_LT(rate, 0.9 * 64 / 0.3);
  Scenario scenario = one;
  start_from_run(cluster, workload, {.scenario = one, .images_per_second = rate}, scenario);
  EXPECT_TRUE(scenario.real_data);
  EXPECT_NEAR(scenario.one_device_step, 0.3, 1e-6);
}

TEST(Predict, ARunThatIsFasterThanItsCoresDecodeWasFedInAnotherWay) {
  Cluster cluster = small_cluster();
  cluster.node.cores = 1;  // 300 images/sec
  Scenario scenario = run_of("replicated", 1);
  scenario.real_data = true;
  const KnownRun run{.scenario = scenario, .images_per_second = 320};
  start_from_run(cluster, workload_of("resnet50"), run, scenario);
  EXPECT_FALSE(scenario.real_data);
  EXPECT_NEAR(scenario.one_device_step, 64.0 / 320, 1e-9);
}

TEST(Predict, FindsTheOneDeviceStepBehindAMeasuredNode) {
  Scenario scenario = run_of("horovod", 4);
  const double rate = predict(small_cluster(), workload_of("resnet50"), scenario).images_per_second;
  EXPECT_NEAR(one_device_step_for(small_cluster(), workload_of("resnet50"), scenario, rate), 0.3,
              1e-6);
}

TEST(Schedule, HorovodFusesWhatIsReadyAtATick) {
  const Cluster cluster = load_cluster("horovod-512");
  const Scenario scenario = run_of("horovod", 16);
  const Workload& vgg = workload_of("vgg16");
  const Prediction each =
      predict(cluster, vgg, scenario, FidelityKind::Schedule, Detail::Transfers);
  double bytes = 0, before = 0;
  for (const PredictedTransfer& transfer : each.transfers) {
    EXPECT_GE(transfer.begin, before) << "one at a time";
    EXPECT_GE(transfer.begin, transfer.ready);
    bytes += transfer.bytes;
    before = transfer.end;
  }
  EXPECT_DOUBLE_EQ(bytes, vgg.bytes);
  EXPECT_LT(each.transfers.size(), vgg.gradients.size());
}

TEST(Schedule, HorovodsCyclesAreNotTiedToTheStartOfAStep) {
  Cluster cluster = small_cluster();
  cluster.schedule.cycle_ms = 5;
  double least = 1, most = 0;
  for (double step = 0.020; step < 0.028; step += 0.0002) {
    Scenario scenario = run_of("horovod", 2);
    scenario.per_node = 1;
    scenario.wire_scale = 1000;  // nearly all that is exposed is waiting for a tick
    scenario.one_device_step = step;
    const double exposed = predict(cluster, workload_of("resnet50"), scenario).exposed;
    least = std::min(least, exposed);
    most = std::max(most, exposed);
  }
  EXPECT_LT(most - least, 0.0015) << "a fifth of a cycle";
  EXPECT_NEAR((least + most) / 2, 0.0025, 0.0008) << "half a cycle";
}

TEST(Schedule, BucketsAreTheTrainers) {
  const Workload& workload = workload_of("resnet50");
  Cluster cluster = small_cluster();
  cluster.schedule.scheduler = "buckets";
  const Prediction each = predict(cluster, workload, run_of("replicated", 8),
                                  FidelityKind::Schedule, Detail::Transfers);
  EXPECT_EQ(each.transfers.size(),
            make_buckets(*workload.arena, SyncOptions{}.bucket_bytes).size());
}

TEST(Servers, ALargeVariableMakesOneServerHot) {
  const Workload& vgg = workload_of("vgg16");
  EXPECT_GT(hottest_share(placed_slices(vgg, 4, false), 4), 0.7);  // its first dense layer
  EXPECT_LT(hottest_share(placed_slices(vgg, 4, true), 4), 0.3);
}

TEST(Servers, OnNodesOfTheirOwnLeaveTheRestToWorkers) {
  Cluster cluster = small_cluster();
  cluster.servers.on_workers = false;
  cluster.servers.count = 24;
  EXPECT_EQ(worker_nodes(cluster, run_of("parameter_server", 1)), 40);
  EXPECT_EQ(worker_nodes(cluster, run_of("replicated", 1)), 64);
}

TEST(Links, OfARingCarryTwiceTheGradients) {
  const Cluster cluster = small_cluster();
  const Workload& workload = workload_of("resnet50");
  const Prediction each = predict(cluster, workload, run_of("replicated", 16),
                                  FidelityKind::Schedule, Detail::Transfers);
  const double line = 25e9 / 8;
  EXPECT_NEAR(each.links.node, 2 * 15 / 16.0 * workload.bytes / line / each.step, 1e-2);
  EXPECT_GT(each.links.inside, 0);
  EXPECT_EQ(each.links.uplink, 0) << "one switch";
}

TEST(Links, OfServersAreThoseOfTheFullestOne) {
  const Cluster cluster = small_cluster();
  const Workload& workload = workload_of("vgg16");
  const auto node_use = [&](bool sharded) {
    Scenario scenario = run_of("parameter_server", 64);
    scenario.sharded = sharded;
    const Prediction each =
        predict(cluster, workload, scenario, FidelityKind::Schedule, Detail::Transfers);
    return each.links.node * each.step;
  };
  EXPECT_GT(node_use(false), 3 * node_use(true));
}

Cluster processors(int nodes) {
  return read_cluster(fmt::format("nodes = {}\ndevices_per_node = 4\n[device]\nkind = \"cpu\"\n"
                                  "[network]\nline_gbit = 10\nspread = 0\n",
                                  nodes),
                      "processors")
      .cluster;
}

TEST(Servers, ServeEveryProcessOfAProcessorNode) {
  const Workload& vgg = workload_of("vgg16");
  const Prediction inside = predict(processors(1), vgg, run_of("parameter_server", 4));
  EXPECT_GT(inside.exposed, 4 * vgg.bytes / 4e9) << "four fetch all values from memory";
  Scenario two = run_of("parameter_server", 8);
  two.sharded = true;
  const double rate = 0.8 * 10e9 / 8;
  EXPECT_GT(predict(processors(2), vgg, two).step, 2 * 4 * vgg.bytes / 2 / rate)
      << "four processes of a node fetch half of all values from the other, and send as much";
}

TEST(Servers, OnOtherNodesAreReachedOverTheNetworkAlsoByOneNode) {
  Cluster cluster = processors(2);
  cluster.servers.on_workers = false;
  cluster.servers.count = 1;
  const Workload& vgg = workload_of("vgg16");
  EXPECT_GT(predict(cluster, vgg, run_of("parameter_server", 4)).step, 2 * 4 * vgg.bytes / 1e9);
}

TEST(Servers, EndAStepWithTokensOnlyOverGrpc) {
  const auto barrier = [](const std::string& library) {
    return read_cluster("nodes = 1\n[collectives]\nlibrary = \"" + library + "\"\n", "test")
        .cluster.servers.barrier_us;
  };
  EXPECT_EQ(barrier("nccl"), 0);
  EXPECT_EQ(barrier("grpc"), 15);
}

TEST(Servers, ThatNeedTheCoresOfWorkersSlowThem) {
  Cluster cluster = small_cluster();
  const Scenario scenario = run_of("parameter_server", 8);
  const Prediction before = predict(cluster, workload_of("resnet50"), scenario);
  cluster.servers.interference = 0.5;
  const Prediction after = predict(cluster, workload_of("resnet50"), scenario);
  EXPECT_GT(after.step, before.step);
  EXPECT_LE(after.slowed, 0.5 * before.backward);
}

TEST(Servers, ThatWaitForGradientsDoNotKeepTheNetworkBusy) {
  Scenario scenario = run_of("parameter_server", 8);
  scenario.one_device_step = 60;
  EXPECT_LT(predict(small_cluster(), workload_of("resnet50"), scenario).network_busy, 0.05);
}

TEST(Trace, FetchesValuesBeforeForwardNeedsThem) {
  Cluster cluster = small_cluster();
  cluster.servers.hidden_pull = 0;
  const Prediction each = predict(cluster, workload_of("vgg16"), run_of("parameter_server", 64),
                                  FidelityKind::Schedule, Detail::Transfers);
  EXPECT_NEAR(each.transfers[0].end, each.forward_begin, 1e-12);
  EXPECT_GE(each.transfers[1].begin, each.forward_begin + each.forward);
  EXPECT_LE(each.transfers[1].end, each.step);
}

TEST(Servers, EveryVariableIsRequestedOnceByAllWorkersAtATime) {
  Cluster cluster = small_cluster();
  cluster.servers.hidden_pull = cluster.servers.exposed_read = 0;
  const Workload& workload = workload_of("resnet50");
  const auto step_on = [&](int nodes, double request_us) {
    cluster.servers.request_us = request_us;
    return predict(cluster, workload, run_of("parameter_server", 4 * nodes)).step;
  };
  const double each = 1e-3 * static_cast<double>(workload.gradients.size());
  for (const int nodes : {2, 8}) {
    EXPECT_NEAR(step_on(nodes, 1000) - step_on(nodes, 0), each, 0.01 * each) << nodes;
  }
  cluster.servers.request_us = 1000;
  const Scenario scenario = run_of("parameter_server", 8);
  EXPECT_EQ(changed("latency=0.5x", cluster, scenario).cluster.servers.request_us, 500);
}

}  // namespace
}  // namespace lockstep
