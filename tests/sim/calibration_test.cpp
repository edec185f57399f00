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

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
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

// Noise may hide the bytes of small messages, and a busy moment those of the largest.
TEST(FitSizes, AClassWhoseTimesDoNotGrowJoinsANeighbour) {
  std::vector<AllReduceTime> times = line(1e-3, 1e9);
  for (AllReduceTime& each : times) {
    if (each.bytes <= 64 << 10) each.seconds = 1.1e-3 - 1e-10 * each.bytes;
  }
  const std::vector<SizeFit> small = fit_sizes(times);
  EXPECT_EQ(small.size(), 2u);
  EXPECT_NEAR(small.front().bytes_per_second, 1e9, 2e8);

  times = line(1e-3, 1e9);
  for (AllReduceTime& each : times) each.seconds = std::min(each.seconds, 2e-3);
  const std::vector<SizeFit> large = fit_sizes(times);
  EXPECT_EQ(large.size(), 2u);
  EXPECT_LT(large.back().bytes_per_second, 1e11);
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

// Runs of one network, the first two on two hosts. What else a test needs, it sets.
CalibrationRuns made_runs(RunResult all, RunResult independent,
                          std::optional<RunResult> servers = {}) {
  return {.one = made_run(1, 1, 32 / 0.9),
          .all = std::move(all),
          .independent = std::move(independent),
          .servers = std::move(servers),
          .all_reduce = line(2e-4, 1e8),
          .inside_node = {},
          .when = "2026-11-18"};
}

TEST(Calibrated, WritesAFileThatItCanRead) {
  CalibrationRuns runs = made_runs(made_run(2, 2, 60), made_run(2, 2, 66), made_run(2, 2, 40));
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
  const CalibrationRuns runs =
      made_runs(phased_run(0.3, 0.62, 0.1), phased_run(0.3, 0.6, 0), phased_run(0.3, 0.61, 0.4));
  Cluster cluster = calibrated(runs).cluster;
  EXPECT_GT(cluster.servers.interference, 0);
  EXPECT_LT(cluster.servers.gbyte, 0.05) << "slower than the link";
  Scenario scenario{.batch = 32, .one_device_step = 0.9, .devices = 2, .servers = 1};
  set_strategy("parameter_server", scenario);
  cluster.node.others_slowdown = 0;
  const Prediction found = predict(cluster, workload_of("resnet20"), scenario);
  EXPECT_NEAR(found.exposed + found.late, 0.4, 0.01);
  EXPECT_NEAR(found.backward, 0.61, 0.01) << "pushes slow it by as much as in the run";
}

TEST(Calibrated, SaysThatARunDidNotWaitForServers) {
  CalibrationRuns runs =
      made_runs(phased_run(0.3, 0.62, 0.1), phased_run(0.3, 0.6, 0), phased_run(0.3, 0.6, 0));
  for (RunResult* run : {&runs.all, &runs.independent, &*runs.servers}) run->facts.nodes = 1;
  const CalibratedCluster result = calibrated(runs);
  EXPECT_FALSE(result.cluster.notes.contains("servers.loopback_gbyte"));
  EXPECT_THAT(result.notes, Contains(HasSubstr("does not wait for parameter servers")));
}

RunResult of_model(const std::string& model, RunResult run) {
  run.facts.model = run.config.model = model;
  return run;
}

TEST(Calibrated, ManySmallVariablesShowWhatAServerTakesForEach) {
  const auto waited = [](const Cluster& cluster, const std::string& model) {
    Scenario scenario{.batch = 32, .one_device_step = 0.9, .devices = 2, .servers = 1};
    set_strategy("parameter_server", scenario);
    const Prediction step = predict(cluster, workload_of(model), scenario);
    return step.exposed + step.late;
  };
  CalibrationRuns runs = made_runs(of_model("lenet", phased_run(0.3, 0.6, 0.1)),
                                   of_model("lenet", phased_run(0.3, 0.6, 0)),
                                   of_model("lenet", phased_run(0.3, 0.6, 0.4)));
  runs.one = of_model("lenet", made_run(1, 1, 32 / 0.9));
  const Cluster before = calibrated(runs).cluster;
  EXPECT_EQ(before.servers.request_us, 0) << "nothing was measured";
  Cluster real = before;
  real.servers.request_us = 2000;
  runs.servers = of_model("lenet", phased_run(0.3, 0.6, waited(real, "lenet")));
  runs.many_one = made_run(1, 1, 32 / 0.9);
  runs.many_servers = phased_run(0.3, 0.6, waited(real, "resnet20"));
  const Cluster found = calibrated(runs).cluster;
  EXPECT_NEAR(found.servers.request_us, 2000, 40);
  EXPECT_NEAR(found.servers.gbyte, before.servers.gbyte, 0.02 * before.servers.gbyte);
}

TEST(Calibrated, RunsOfLikeVariablesDoNotTellServersAndRequestsApart) {
  CalibrationRuns runs =
      made_runs(phased_run(0.3, 0.6, 0.1), phased_run(0.3, 0.6, 0), phased_run(0.3, 0.6, 0.40));
  runs.many_one = made_run(1, 1, 32 / 0.9);
  runs.many_servers = phased_run(0.3, 0.6, 0.41);
  const CalibratedCluster result = calibrated(runs);
  EXPECT_FALSE(result.cluster.notes.contains("servers.request_us"));
  EXPECT_THAT(result.notes, Contains(HasSubstr("has variables like those of resnet20")));
}

TEST(Calibrated, ServersOfOneNodeAreFittedToItsMemory) {
  CalibrationRuns runs =
      made_runs(phased_run(0.3, 0.62, 0.1), phased_run(0.3, 0.6, 0), phased_run(0.3, 0.6, 0.4));
  for (RunResult* run : {&runs.all, &runs.independent, &*runs.servers}) run->facts.nodes = 1;
  Cluster cluster = calibrated(runs).cluster;
  EXPECT_TRUE(cluster.notes.contains("servers.loopback_gbyte"));
  cluster.node.shared_slowdown = 0;
  Scenario scenario{.batch = 32, .one_device_step = 0.9, .devices = 2};
  set_strategy("parameter_server", scenario);
  const Prediction found = predict(cluster, workload_of("resnet20"), scenario);
  EXPECT_NEAR(found.exposed + found.late, 0.4, 0.01);
}

TEST(Calibrated, TakesTheLinkFromTwoNodesAndTheRingFromAll) {
  CalibrationRuns runs = made_runs(made_run(4, 2, 120), made_run(4, 2, 130));
  runs.two_nodes = line(1e-4, 1e8);
  runs.all_reduce = line(2e-4, 0.5e8);
  runs.inside_node = line(1e-5, 1e9);
  const Cluster cluster = calibrated(runs).cluster;
  EXPECT_NEAR(cluster.transports.at("tcp").gbyte, 0.1, 0.01);
  EXPECT_NEAR(cluster.collectives.sizes.back().gbyte, 0.075, 0.01) << "6 hops of a quarter";
  EXPECT_EQ(cluster.devices_per_node, 2);
}

TEST(Calibrated, NamesTheTransportOfTheRun) {
  CalibrationRuns runs = made_runs(made_run(2, 2, 60), made_run(2, 2, 66), made_run(2, 2, 40));
  runs.transport = "rdma";
  runs.all.facts.communicator = "nccl";
  const Cluster cluster = calibrated(runs).cluster;
  EXPECT_EQ(cluster.network.transport, "rdma");
  EXPECT_EQ(cluster.notes.at("network.transport").kind, EntryKind::Assumed);
  EXPECT_EQ(cluster.notes.at("transport.rdma.gbyte").kind, EntryKind::Measured);
  EXPECT_FALSE(cluster.notes.contains("transport.tcp.gbyte"));
}

TEST(Calibrated, AssumesOnlyWhatCannotBeMeasuredHere) {
  CalibrationRuns runs =
      made_runs(phased_run(0.3, 0.62, 0.1), phased_run(0.3, 0.6, 0), phased_run(0.3, 0.61, 0.4));
  runs.all_reduce = line(2e-4, 1e7);
  std::vector<std::string> assumed;
  for (const auto& [key, note] : calibrated(runs).cluster.notes) {
    if (key != "description" && note.kind == EntryKind::Assumed) assumed.push_back(key);
  }
  EXPECT_THAT(assumed, ElementsAre("nodes"));
}

TEST(Calibrated, TakesJitterFromTheRunWithoutCommunication) {
  CalibrationRuns runs = made_runs(made_run(2, 2, 60), made_run(2, 2, 66));
  for (StepRecord& step : runs.all.ranks[0].steps)
    step.duration *= 1 + 0.5 * (&step - runs.all.ranks[0].steps.data());
  EXPECT_LT(calibrated(runs).cluster.jitter.rank, 0.03);
}

}  // namespace
}  // namespace lockstep
