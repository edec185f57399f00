#include "report/render/console.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace lockstep {
namespace {

RunFacts facts() {
  RunFacts facts;
  facts.model = "resnet50";
  facts.dataset = "imagenet";
  facts.batch_size = 64;
  facts.timed_steps = 100;
  return facts;
}

StepRecord last_step() {
  StepRecord record;
  record.images = 10;
  record.losses = {.base_loss = 7.25, .total_loss = 9.2284, .top_1_hits = 1, .top_5_hits = 5};
  return record;
}

std::string line(const RunConfig& run, const std::vector<double>& seconds) {
  return step_line(run, seconds, last_step());
}

std::string loss_shown(double loss) {
  StepRecord step = last_step();
  step.losses.total_loss = loss;
  const std::vector<double> seconds = {0.5};
  const std::string text = step_line({}, seconds, step);
  const size_t begin = text.rfind('\t') + 1;
  return text.substr(begin, text.size() - 1 - begin);
}

TEST(Console, TheDevicesLineDividesByNodesAndDevices) {
  RunFacts four = facts();
  four.devices = 4;
  four.nodes = 2;
  EXPECT_EQ(devices_line({}, four, 67.23),
            "Nodes: 2; Devices per node: 2; Images/sec: 67.23 (16.81 per device)\n");
  EXPECT_EQ(devices_line({.device = "cuda"}, four, 67.23),
            "Nodes: 2; GPUs per node: 2; Images/sec: 67.23 (16.81 per device)\n");
  EXPECT_EQ(devices_line({}, facts(), 67.23), "");
}

TEST(Console, AWorkersLineIsThatOfTfperftest) {
  StepRecord own = last_step();
  own.images = 32;
  own.duration = Seconds(1.8);
  const auto now =
      std::chrono::system_clock::time_point(std::chrono::microseconds(1478559516546566));
  const std::string line = worker_line(2, now, 30, own, 9.504);
  EXPECT_THAT(line, ::testing::MatchesRegex(
                        "Worker 2: 2016-11-0[78] [0-9]+:[0-9]+:36[.]546566: step 30, loss = "
                        "9[.]50\\(17[.]8 examples/sec; 1[.]800  sec/batch\\)"));
  EXPECT_NE(worker_line(0, now, 1, own, std::nan("")).find("loss = nan("), std::string::npos);
  EXPECT_NE(worker_line(0, now, 1, own, 6.637e18).find("loss = 6.637e+18("), std::string::npos);
}

TEST(Console, StepLinesHaveNineWords) {
  EXPECT_EQ(line({}, {1, 2, 4}), "3\timages/sec: 4.3 +/- 1.8 (jitter = 3.7)\t9.228\n");
  EXPECT_EQ(line({.loss_type_to_report = "base_loss"}, {0.5}),
            "1\timages/sec: 20.0 +/- 0.0 (jitter = 0.0)\t7.250\n");
}

TEST(Console, AccuraciesAreFractionsOfTheBatch) {
  const RunConfig run = {.print_training_accuracy = true};
  EXPECT_EQ(column_titles(run), "Step\tImg/sec\ttotal_loss\ttop_1_accuracy\ttop_5_accuracy\n");
  EXPECT_EQ(line(run, {0.5}), "1\timages/sec: 20.0 +/- 0.0 (jitter = 0.0)\t9.228\t0.100\t0.500\n");
}

TEST(Console, AnExplodedLossIsPrintedShort) {
  EXPECT_EQ(loss_shown(3e38), "3.000e+38");
  EXPECT_EQ(loss_shown(999999.5), "999999.500");
  EXPECT_EQ(loss_shown(-std::nan("")), "nan");
  EXPECT_EQ(loss_shown(std::numeric_limits<double>::infinity()), "inf");
}

TEST(Console, ForwardOnlyHasAZeroLossAndBothAccuracies) {
  const RunConfig run = {.forward_only = true};
  EXPECT_EQ(column_titles(run), "Step\tImg/sec\ttotal_loss\ttop_1_accuracy\ttop_5_accuracy\n");
  StepRecord step = last_step();
  step.losses = {.top_1_hits = 1, .top_5_hits = 5};
  EXPECT_EQ(step_line(run, std::vector<double>{0.5}, step),
            "1\timages/sec: 20.0 +/- 0.0 (jitter = 0.0)\t0.000\t0.100\t0.500\n");
}

TEST(Console, TheFirstAndEveryTenthStepAreShown) {
  std::vector<int> shown;
  for (int step = 1; step <= 30; ++step) {
    if (is_shown({}, step)) shown.push_back(step);
  }
  EXPECT_EQ(shown, (std::vector<int>{1, 10, 20, 30}));
}

TEST(Console, TheEndBlockStandsBetween64Dashes) {
  EXPECT_EQ(total_block(204.754),
            "----------------------------------------------------------------\n"
            "total images/sec: 204.75\n"
            "----------------------------------------------------------------\n");
}

}  // namespace
}  // namespace lockstep
