// Fits recover what made the numbers.
#include "sim/calibrate/calibration.h"

#include <gmock/gmock.h>

#include "sim/answers/what_if.h"
#include "sim/calibrate/fit_run.h"
#include "sim/calibrate/measured_jitter.h"
#include "sim/cluster/cluster_file.h"
#include "sim/step/predict.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<AllReduceTime> line(double latency, double rate) {
  std::vector<AllReduceTime> times;
  for (double bytes = 4096; bytes <= 16 << 20; bytes *= 4) {
    times.push_back({.bytes = bytes, .seconds = latency + bytes / rate});
  }
  return times;
}

TEST(FitSizes, RecoversALine) {
  for (const SizeFit& fit : fit_sizes(line(1e-4, 1e8))) {
    EXPECT_NEAR(fit.latency, 1e-4, 1e-8);
    EXPECT_NEAR(fit.bytes_per_second, 1e8, 1e3);
    EXPECT_NEAR(fit.residual, 0, 1e-9);
  }
}

TEST(FitSizes, ReportsWhatALineDoesNotExplain) {
  std::vector<AllReduceTime> times = line(1e-4, 1e8);
  for (size_t i = 0; i < times.size(); i += 2) times[i].seconds *= 1.5;
  EXPECT_GT(fit_sizes(times).back().residual, 0.1);
}

TEST(FitSizes, HopsGiveTheTimesBack) {
  const std::vector<AllReduceTime> times = line(1e-4, 1e8);
  CollectiveCost cost{.sizes = hops_of(fit_sizes(times), 4), .ranks = 4};
  for (const AllReduceTime& each : times) {
    EXPECT_NEAR(cost.seconds(each.bytes), each.seconds, 1e-3 * each.seconds);
  }
}

TEST(FitSizes, ClassesAreThoseOfHopsInRingsOfAnySize) {
  std::vector<AllReduceTime> times;  // four ranks: 6 hops of 1 ms, or of 10 ms beyond 100 kB
  for (double bytes = 4096; bytes <= 16 << 20; bytes *= 4) {
    const double chunk = bytes / 4;
    times.push_back({.bytes = bytes, .seconds = 6 * ((chunk < 1e5 ? 1e-3 : 1e-2) + chunk / 1e9)});
  }
  const std::vector<SizeClass> hops = hops_of(fit_sizes(times), 4);
  const CollectiveCost many{.sizes = hops, .ranks = 4096};
  EXPECT_NEAR(many.seconds(8e6), 2 * 4095 * 1e-3, 0.2 * 8) << "hops of 2 kB, as small as any";
}

TEST(FitSizes, LargeMessagesNeverStartFasterThanSmallOnes) {
  std::vector<AllReduceTime> times = line(1e-3, 1e8);
  times.back().seconds *= 1.5;  // a cache that is left: the line through it starts below 0
  times.end()[-2].seconds *= 0.8;
  double before = 0;
  for (const SizeFit& fit : fit_sizes(times)) {
    EXPECT_GE(fit.latency, before);
    before = fit.latency;
  }
}

Cluster two_nodes() {
  return read_cluster("nodes = 64\n[network]\nline_gbit = 10\n[jitter]\nrank = 0\nnode = 0.01\n",
                      "two")
      .cluster;
}

Scenario run_of(double step) {
  Scenario scenario{.batch = 32, .one_device_step = step, .devices = 8};
  set_strategy("replicated", scenario);
  return scenario;
}

TEST(FitRun, FindsTheNetworkThatAStepWaitsFor) {
  Scenario scenario = run_of(0.1);
  scenario.wire_scale = 0.6;
  const Workload& workload = workload_of("vgg16");
  const double rate = predict(two_nodes(), workload, scenario).images_per_second;
  const RunFit fit = fit_run(two_nodes(), workload, run_of(0.1), rate);
  EXPECT_EQ(fit.what, RunFit::What::Network);
  EXPECT_NEAR(fit.wire_scale, 0.6, 1e-3);
}

TEST(FitRun, DoesNotFitANetworkThatIsHidden) {
  const Workload& workload = workload_of("resnet50");
  const Scenario scenario = run_of(20);
  const double rate = 0.9 * predict(two_nodes(), workload, scenario).images_per_second;
  const RunFit fit = fit_run(two_nodes(), workload, scenario, rate);
  EXPECT_EQ(fit.what, RunFit::What::Jitter);
  EXPECT_GT(fit.jitter, 0.01);
}

RunResult made_run(int devices, int nodes, double rate) {
  RunResult run;
  run.facts.model = "resnet20";
  run.config.model = "resnet20";
  run.facts.batch_size = 32;
  run.facts.devices = devices;
  run.facts.nodes = nodes;
  run.throughput.total_images_per_second = rate;
  run.summary.mean_phases = {0, 0.3, 0.6};
  for (int rank = 0; rank < devices; ++rank) {
    RankResult& each = run.ranks.emplace_back();
    each.host = "host" + std::to_string(rank % nodes);
    for (int step = 0; step < 10; ++step) {
      StepRecord record;
      record.duration = Seconds(1 + 0.02 * (step % 2) + 0.1 * (rank % nodes));
      each.steps.push_back(record);
    }
  }
  return run;
}

TEST(Jitter, IsThatOfRanksAndOfHosts) {
  const MeasuredJitter jitter = jitter_of(made_run(4, 2, 100));
  EXPECT_NEAR(jitter.rank, 0.0146 / 1.06, 0.003);
  EXPECT_NEAR(jitter.node, 0.05 / 1.06, 0.003);
}

TEST(Jitter, OfAProfileReplacesTheClusters) {
  Cluster cluster = two_nodes();
  RunResult profile = made_run(1, 1, 100);
  take_rank_jitter(profile, cluster);
  EXPECT_NEAR(cluster.jitter.rank, 0.0146, 0.003);
  EXPECT_EQ(cluster.notes.at("jitter.rank").kind, EntryKind::Measured);
  profile.ranks[0].steps.resize(3);
  cluster = two_nodes();
  take_rank_jitter(profile, cluster);
  EXPECT_EQ(cluster.jitter.rank, 0) << "three steps say nothing";
}

TEST(Calibrated, WritesAFileThatItCanRead) {
  CalibrationRuns runs{.one = made_run(1, 1, 32 / 0.9),
                       .all = made_run(2, 2, 60),
                       .independent = made_run(2, 2, 66),
                       .servers = made_run(2, 2, 40),
                       .all_reduce = line(2e-4, 1e8),
                       .inside_node = {},
                       .when = "2026-11-18"};
  const CalibratedCluster result = calibrated(runs);
  const ReadCluster read = read_cluster(result.text, "file");
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_EQ(read.cluster.calibrated_devices, 2);
  EXPECT_EQ(read.cluster.notes.at("collectives.sizes").kind, EntryKind::Measured);
  EXPECT_EQ(read.cluster.notes.at("jitter.node").kind, EntryKind::Measured);
}

// A run whose steps have these phases.
RunResult phased_run(double forward, double backward, double communication) {
  RunResult run = made_run(2, 2, 64 / (forward + backward + communication));
  for (RankResult& rank : run.ranks) {
    for (StepRecord& step : rank.steps) {
      step.phase(Phase::Forward) = Seconds(forward);
      step.phase(Phase::Backward) = Seconds(backward);
      step.phase(Phase::Communication) = Seconds(communication);
    }
    rank.steps[0].phase(Phase::Backward) *= 50;  // the machine did something else
  }
  return run;
}

TEST(Calibrated, ServersAreFittedToWhatTheirRunWaitedFor) {
  const CalibrationRuns runs{.one = made_run(1, 1, 32 / 0.9),
                             .all = phased_run(0.3, 0.62, 0.1),
                             .independent = phased_run(0.3, 0.6, 0),
                             .servers = phased_run(0.3, 0.61, 0.4),
                             .all_reduce = line(2e-4, 1e8),
                             .inside_node = {},
                             .when = "2026-11-18"};
  Cluster cluster = calibrated(runs).cluster;
  EXPECT_GT(cluster.servers.interference, 0);
  EXPECT_LT(cluster.servers.gbyte, 0.05) << "slower than the link";
  Scenario scenario{.batch = 32, .one_device_step = 0.9, .devices = 2, .servers = 1};
  set_strategy("parameter_server", scenario);
  cluster.node.others_slowdown = 0;
  EXPECT_NEAR(predict(cluster, workload_of("resnet20"), scenario).exposed, 0.4, 0.01);
}

TEST(Calibrated, ServersOfOneNodeAreFittedToItsMemory) {
  CalibrationRuns runs{.one = made_run(1, 1, 32 / 0.9),
                       .all = phased_run(0.3, 0.62, 0.1),
                       .independent = phased_run(0.3, 0.6, 0),
                       .servers = phased_run(0.3, 0.6, 0.4),
                       .all_reduce = line(2e-4, 1e8),
                       .inside_node = {},
                       .when = "2026-11-18"};
  for (RunResult* run : {&runs.all, &runs.independent, &*runs.servers}) run->facts.nodes = 1;
  Cluster cluster = calibrated(runs).cluster;
  EXPECT_TRUE(cluster.notes.contains("servers.loopback_gbyte"));
  cluster.node.shared_slowdown = 0;
  Scenario scenario{.batch = 32, .one_device_step = 0.9, .devices = 2};
  set_strategy("parameter_server", scenario);
  EXPECT_NEAR(predict(cluster, workload_of("resnet20"), scenario).exposed, 0.4, 0.01);
}

TEST(Calibrated, TakesTheLinkFromTwoNodesAndTheRingFromAll) {
  const CalibrationRuns runs{.one = made_run(1, 1, 32 / 0.9),
                             .all = made_run(4, 2, 120),
                             .independent = made_run(4, 2, 130),
                             .servers = {},
                             .all_reduce = line(2e-4, 0.5e8),
                             .inside_node = line(1e-5, 1e9),
                             .two_nodes = line(1e-4, 1e8),
                             .when = "2026-11-18"};
  const Cluster cluster = calibrated(runs).cluster;
  EXPECT_NEAR(cluster.transports.at("tcp").gbyte, 0.1, 0.01);
  EXPECT_NEAR(cluster.collectives.sizes.back().gbyte, 0.075, 0.01) << "6 hops of a quarter";
  EXPECT_EQ(cluster.devices_per_node, 2);
}

TEST(Calibrated, NamesTheTransportOfTheRun) {
  CalibrationRuns runs{.one = made_run(1, 1, 32 / 0.9),
                       .all = made_run(2, 2, 60),
                       .independent = made_run(2, 2, 66),
                       .servers = made_run(2, 2, 40),
                       .all_reduce = line(2e-4, 1e8),
                       .inside_node = {},
                       .transport = "rdma",
                       .when = "2026-11-18"};
  runs.all.facts.communicator = "nccl";
  const Cluster cluster = calibrated(runs).cluster;
  EXPECT_EQ(cluster.network.transport, "rdma");
  EXPECT_EQ(cluster.notes.at("network.transport").kind, EntryKind::Assumed);
  EXPECT_EQ(cluster.notes.at("transport.rdma.gbyte").kind, EntryKind::Measured);
  EXPECT_FALSE(cluster.notes.contains("transport.tcp.gbyte"));
}

TEST(Calibrated, AssumesOnlyWhatCannotBeMeasuredHere) {
  const CalibrationRuns runs{.one = made_run(1, 1, 32 / 0.9),
                             .all = phased_run(0.3, 0.62, 0.1),
                             .independent = phased_run(0.3, 0.6, 0),
                             .servers = phased_run(0.3, 0.61, 0.4),
                             .all_reduce = line(2e-4, 1e7),
                             .inside_node = {},
                             .when = "2026-11-18"};
  std::vector<std::string> assumed;
  for (const auto& [key, note] : calibrated(runs).cluster.notes) {
    if (key != "description" && note.kind == EntryKind::Assumed) assumed.push_back(key);
  }
  EXPECT_THAT(assumed, ElementsAre("nodes"));
}

TEST(Calibrated, TakesJitterFromTheRunWithoutCommunication) {
  CalibrationRuns runs{.one = made_run(1, 1, 32 / 0.9),
                       .all = made_run(2, 2, 60),
                       .independent = made_run(2, 2, 66),
                       .servers = {},
                       .all_reduce = line(2e-4, 1e8),
                       .inside_node = {},
                       .when = "2026-11-18"};
  for (StepRecord& step : runs.all.ranks[0].steps)
    step.duration *= 1 + 0.5 * (&step - runs.all.ranks[0].steps.data());
  EXPECT_LT(calibrated(runs).cluster.jitter.rank, 0.03);
}

}  // namespace
}  // namespace lockstep
