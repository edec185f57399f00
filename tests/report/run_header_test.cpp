#include "report/render/run_header.h"

#include <gmock/gmock.h>

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RunResult started(const RunConfig& run) {
  RunResult result;
  result.program_version = "0.1.0";
  result.config = run;
  result.facts.model = "resnet50";
  result.facts.dataset = "imagenet";
  result.facts.batch_size = 64;
  result.facts.timed_steps = 100;
  result.facts.threads = 2;
  result.facts.cores_here = 4;
  result.host.name = "node1";
  result.host.cpu_model = "Fast 9000";
  return result;
}

RunResult started_on_two(const RunConfig& run) {
  RunResult result = started(run);
  result.facts.devices = result.facts.workers_here = 2;
  result.facts.pinned = true;
  result.facts.communicator = "shm";
  return result;
}

TEST(RunHeader, OfTfCnnBenchmarksHasItsLinesAndNoOthers) {
  EXPECT_EQ(
      header_text(started({.variable_update = "independent", .output_format = "tf_cnn_benchmarks"}),
                  0.004995),
      "lockstep:    0.1.0\n"
      "Model:       resnet50\n"
      "Dataset:     imagenet (synthetic)\n"
      "Mode:        training\n"
      "SingleSess:  False\n"
      "Batch size:  64 global\n"
      "             64 per device\n"
      "Num batches: 100\n"
      "Num epochs:  0.00\n"
      "Devices:     ['/cpu:0']\n"
      "NUMA bind:   False\n"
      "Data format: NCHW\n"
      "Optimizer:   sgd\n"
      "Variables:   independent\n"
      "==========\n");
}

TEST(RunHeader, NamesHostAndThreads) {
  EXPECT_THAT(header_text(started({}), 1), HasSubstr("Host:        node1 (Fast 9000, 4 cores)\n"
                                                     "Threads:     2 per device\n=========="));
}

TEST(RunHeader, SaysWhichDeviceWhereThereAreGpus) {
  RunResult run = started({.device = "cuda"});
  EXPECT_THAT(header_text(run, 1), HasSubstr("\nDevice:      cuda\n"));
  run.facts.gpus = "8 NVIDIA GPUs";
  EXPECT_THAT(header_text(run, 1), HasSubstr("\nDevice:      cuda (8 NVIDIA GPUs found)\n"));
  run.config.device = "cpu";
  EXPECT_THAT(header_text(run, 1),
              HasSubstr("\nDevice:      cpu (8 NVIDIA GPUs found, not used)\n"));
  run.facts.gpus = "";
  EXPECT_THAT(header_text(run, 1), Not(HasSubstr("Device: ")));
}

TEST(RunHeader, NamesAPrecisionOtherThanF32) {
  EXPECT_THAT(header_text(started({.dtype = "fp16"}), 1), HasSubstr("\nPrecision:   fp16\n"));
  EXPECT_THAT(header_text(started({}), 1), Not(HasSubstr("Precision")));
}

TEST(RunHeader, OfOneDeviceHasNoAllReduce) {
  EXPECT_THAT(header_text(started({.variable_update = "replicated"}), 1),
              HasSubstr("Variables:   replicated\nAllReduce:   None\n"));
}

TEST(RunHeader, OfSeveralDevicesNamesAllTransportAndPinning) {
  const std::string header = header_text(started_on_two({.variable_update = "replicated"}), 1);
  EXPECT_THAT(header, HasSubstr("128 global\n             64 per device\n"));
  EXPECT_THAT(header, HasSubstr("Devices:     ['/cpu:0', '/cpu:1']\nNUMA bind:   True\n"));
  EXPECT_THAT(header, HasSubstr("AllReduce:   shm\n"));
  EXPECT_THAT(header, HasSubstr("2 per device, pinned\n"));
  EXPECT_THAT(
      header_text(
          started_on_two({.variable_update = "horovod", .all_reduce_spec = "pscpu:32k:xring"}), 1),
      HasSubstr("AllReduce:   pscpu:32k:xring over shm\n"));
}

TEST(RunHeader, CountsParameterServers) {
  RunResult result = started_on_two({.variable_update = "parameter_server"});
  result.facts.servers = 3;
  EXPECT_THAT(header_text(result, 1), HasSubstr("Servers:     3 over shm\n"));
  EXPECT_THAT(header_text(result, 1), Not(HasSubstr("AllReduce:")));
}

TEST(RunHeader, OfAHandStartedProcessNamesItsOwnDevice) {
  const std::string header = header_text(
      started_on_two(
          {.variable_update = "parameter_server", .job_name = "worker", .task_index = 1}),
      1);
  EXPECT_THAT(header, HasSubstr("Devices:     ['/job:worker/replica:0/task:1/cpu:0']\n"));
  EXPECT_THAT(header, HasSubstr("Sync:        True\n"));
}

TEST(RunHeader, CountsHosts) {
  RunResult result = started_on_two({.job_name = "worker", .task_index = 1});
  result.facts.nodes = 2;
  EXPECT_THAT(header_text(result, 1), HasSubstr("Hosts:       2\n"));
}

TEST(RunHeader, OfAGpuSaysSo) {
  EXPECT_THAT(header_text(started({.device = "cuda"}), 1), HasSubstr("Devices:     ['/gpu:0']\n"));
}

TEST(RunHeader, NamesTheMode) {
  EXPECT_THAT(header_text(started({.forward_only = true}), 1),
              HasSubstr("Mode:        forward only\n"));
}

}  // namespace
}  // namespace lockstep
