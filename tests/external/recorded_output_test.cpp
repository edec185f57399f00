// Ready-made definitions against output as their programs print it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "external/readings.h"
#include "external/ready_programs.h"
#include "report/render/console.h"
#include "support/paths.h"

namespace lockstep {
namespace {

struct Recording {
  std::string program;
  std::vector<std::string> files;  // one for each process
  int workers, devices;
  double images_per_second;
  size_t step_lines, samples;
};

std::ostream& operator<<(std::ostream& out, const Recording& recording) {
  return out << recording.files.front();
}

class RecordedOutput : public ::testing::TestWithParam<Recording> {};

void feed(Readings& readings, size_t command, const std::string& name) {
  std::ifstream file(std::filesystem::path(project_path("tests/external/recorded")) / name);
  ASSERT_TRUE(file) << name;
  for (std::string line; std::getline(file, line);) {
    readings.add({.command = command, .time = Seconds(0), .text = line, .whole = true});
  }
}

TEST_P(RecordedOutput, GivesTheExpectedNumbers) {
  const Recording& recording = GetParam();
  const Program program = load_program(recording.program);
  Readings readings(program, recording.workers, recording.devices);
  for (size_t i = 0; i < recording.files.size(); ++i) feed(readings, i, recording.files[i]);
  EXPECT_EQ(readings.problem(), "");
  EXPECT_NEAR(readings.images_per_second().value_or(0), recording.images_per_second, 1e-9);
  EXPECT_EQ(readings.steps().size(), recording.step_lines);
  EXPECT_EQ(readings.samples().size(), recording.samples);
}

INSTANTIATE_TEST_SUITE_P(
    All, RecordedOutput,
    ::testing::Values(
        Recording{"tf_cnn_benchmarks", {"tf_cnn_benchmarks.txt"}, 1, 2, 409.38, 4, 3},
        Recording{"tf_cnn_benchmarks", {"tf_cnn_benchmarks_replicated.txt"}, 1, 2, 85.98, 5, 4},
        Recording{"tf_cnn_benchmarks", {"tf_cnn_benchmarks_forward_only.txt"}, 1, 1, 263.05, 5, 4},
        // Every worker prints the total of the cluster: the mean of both.
        Recording{"tf_cnn_benchmarks",
                  {"tf_cnn_benchmarks_worker0.txt", "tf_cnn_benchmarks_worker1.txt"},
                  2,
                  2,
                  (122.50 + 122.49) / 2,
                  10,
                  4},
        Recording{"tf_cnn_benchmarks",
                  {"tf_cnn_benchmarks_ps_worker0.txt", "tf_cnn_benchmarks_ps_worker1.txt"},
                  2,
                  2,
                  (102.95 + 102.99) / 2,
                  10,
                  4},
        Recording{"horovod_pytorch", {"horovod_pytorch.txt"}, 4, 4, 432.8, 5, 5},
        Recording{"horovod_tensorflow", {"horovod_tensorflow.txt"}, 2, 2, 406.6, 3, 3},
        Recording{"torchrun_ddp", {"torchrun_ddp.txt"}, 2, 2, 91.69 + 91.60, 6, 3},
        // Without the first two lines of each: all images over all time, then both together.
        Recording{"tfperftest",
                  {"tfperftest_worker0.txt", "tfperftest_worker1.txt"},
                  2,
                  2,
                  4 / (1 / 15.8 + 1 / 15.7 + 1 / 17.4 + 1 / 17.5) +
                      4 / (1 / 17.8 + 1 / 15.8 + 1 / 15.7 + 1 / 17.4),
                  12,
                  4}));

TEST(RecordedOutput, StepLinesOfOneDeviceBecomeSamplesOfAll) {
  const Program program = load_program("horovod_pytorch");
  Readings readings(program, 4, 4);
  feed(readings, 0, "horovod_pytorch.txt");
  EXPECT_DOUBLE_EQ(readings.samples().at(0).images_per_second, 4 * 107.4);
}

TEST(RecordedOutput, RunningMeansOfTwoWorkersBecomeSamplesOfTheCluster) {
  const Program program = load_program("tf_cnn_benchmarks");
  Readings readings(program, 2, 2);
  feed(readings, 0, "tf_cnn_benchmarks_worker0.txt");
  feed(readings, 1, "tf_cnn_benchmarks_worker1.txt");
  const auto samples = readings.samples();
  ASSERT_EQ(samples.size(), 4u);
  EXPECT_DOUBLE_EQ(samples[0].images_per_second, 65.6 + 56.6);
  EXPECT_DOUBLE_EQ(samples[1].images_per_second,
                   5 / (10 / 67.2 - 5 / 65.6) + 5 / (10 / 62.2 - 5 / 56.6));
  EXPECT_EQ(samples[3].loss, 2.146);
  EXPECT_EQ(readings.last_loss(), 2.146);
}

TEST(RecordedOutput, ANanLossOfTfCnnBenchmarksFailsTheRun) {
  const Program program = load_program("tf_cnn_benchmarks");
  Readings readings(program, 1, 1);
  feed(readings, 0, "tf_cnn_benchmarks_nan.txt");
  EXPECT_EQ(readings.problem(), "worker 0: the loss is nan at step 1");
}

// The lines that a published run of the workers shows, four to a step.
TEST(RecordedOutput, WorkersThatShareOneLogAreDistinguished) {
  const Program program = load_program("tfperftest");
  Readings readings(program, 2, 2);
  const std::string lines[] = {
      "    INFO:tensorflow:Worker 1: 2016-11-07 22:59:40.763573: step 30, loss = 9.50(17.8 "
      "examples/sec; 1.800  sec/batch)",
      "    INFO:tensorflow:Worker 0: 2016-11-07 22:59:40.763701: step 30, loss = NA(17.8 "
      "examples/sec; 1.794  sec/batch)"};
  for (const std::string& line : lines) {
    readings.add({.command = 0, .time = Seconds(0), .text = line, .whole = true});
  }
  ASSERT_EQ(readings.steps().size(), 2u);
  EXPECT_EQ(readings.steps()[0].worker, "1");
  EXPECT_EQ(readings.steps()[1].worker, "0");
  EXPECT_EQ(readings.steps()[0].step, 30);
}

TEST(RecordedOutput, TheLinesOfOurOwnWorkersAreRead) {
  const Program program = load_program("tfperftest");
  Readings readings(program, 1, 1);
  StepRecord own;
  own.images = 32;
  own.duration = Seconds(2);
  const std::string line = worker_line(0, std::chrono::system_clock::now(), 30, own, 7.25);
  readings.add({.command = 0, .time = Seconds(0), .text = line, .whole = true});
  ASSERT_EQ(readings.steps().size(), 1u);
  EXPECT_EQ(readings.steps()[0].step, 30);
  EXPECT_EQ(readings.steps()[0].images_per_second, 16);
}

}  // namespace
}  // namespace lockstep
