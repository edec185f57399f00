#include "report/render/console.h"

#include <gtest/gtest.h>

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

TEST(Console, TheHeaderIsWhatParsersKnow) {
  EXPECT_EQ(header_text("0.1.0", {.variable_update = "independent"}, facts(), 0.004995),
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

TEST(Console, ReplicatedNamesItsAllReduce) {
  EXPECT_NE(header_text("0", {.variable_update = "replicated"}, facts(), 1)
                .find("Variables:   replicated\nAllReduce:   None\n=========="),
            std::string::npos);
}

TEST(Console, SeveralDevicesAreAllInTheHeader) {
  RunFacts two = facts();
  two.devices = 2;
  const std::string header = header_text("0", {}, two, 1);
  EXPECT_NE(header.find("128 global\n             64 per device\n"), std::string::npos);
  EXPECT_NE(header.find("Devices:     ['/cpu:0', '/cpu:1']\n"), std::string::npos);
}

TEST(Console, TheDevicesLineDividesByNodesAndDevices) {
  RunFacts four = facts();
  four.devices = 4;
  four.nodes = 2;
  EXPECT_EQ(devices_line(four, 67.23),
            "Nodes: 2; Devices per node: 2; Images/sec: 67.23 total, 16.81 per device\n");
  EXPECT_EQ(devices_line(facts(), 67.23), "");
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

TEST(Console, ForwardOnlyHasNoLossAndAccuraciesOnlyOnRequest) {
  const RunConfig run = {.forward_only = true};
  EXPECT_NE(header_text("0", run, facts(), 1).find("Mode:        forward only\n"),
            std::string::npos);
  EXPECT_EQ(column_titles(run), "Step\tImg/sec\n");
  EXPECT_EQ(line(run, {0.5}), "1\timages/sec: 20.0 +/- 0.0 (jitter = 0.0)\n");
  EXPECT_EQ(column_titles({.forward_only = true, .print_training_accuracy = true}),
            "Step\tImg/sec\ttop_1_accuracy\ttop_5_accuracy\n");
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
