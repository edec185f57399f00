#include "nn/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "nn/zoo.h"

namespace lockstep {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kTolerance = 5e-8;  // seven places

Schedule imagenet(const char* model, const LearningRateFlags& flags, int64_t batch) {
  return make_schedule(find_model(model).schedule, flags,
                       {.examples_per_epoch = 1281167, .examples_per_step = batch});
}
Schedule cifar(const char* model, int64_t batch) {
  return make_schedule(find_model(model, "cifar10").schedule, {},
                       {.examples_per_epoch = 50000, .examples_per_step = batch});
}

struct Point {
  int64_t step;
  double rate;
};
void expect_points(const Schedule& schedule, std::initializer_list<Point> points) {
  for (const Point& point : points) {
    EXPECT_NEAR(schedule.at(point.step), point.rate, kTolerance) << "at step " << point.step;
  }
}

TEST(LearningRate, OfResnetOnImagenetWarmsUpAndFallsInStairs) {
  expect_points(imagenet("resnet50", {}, 256), {{0, 0},
                                                {12511, 0.064},
                                                {25022, 0.128},
                                                {150136, 0.128},
                                                {150137, 0.0128},
                                                {300273, 0.0128},
                                                {300274, 0.00128},
                                                {10000000, 0.0000128}});
}

TEST(LearningRate, OfTheUserWarmsUp) {
  expect_points(imagenet("resnet50", {.initial = 1, .warmup_epochs = 5}, 256),
                {{0, 0}, {12511, 0.5}, {25022, 1}, {10000000, 1}});
}

TEST(LearningRate, OfTheUserAloneIsConstant) {
  expect_points(imagenet("resnet50", {.initial = 1}, 256), {{0, 1}, {10000000, 1}});
}

TEST(LearningRate, OfTheUserDecaysDownToItsFloor) {
  const LearningRateFlags flags = {
      .initial = 1, .epochs_per_decay = 2, .decay_factor = 0.5, .minimum = 0.375};
  expect_points(
      imagenet("resnet50", flags, 32),
      {{0, 1}, {80071, 1}, {80072, 0.5}, {160143, 0.5}, {160144, 0.375}, {10000000, 0.375}});
}

TEST(LearningRate, OfTheUserFollowsAPiecewiseSchedule) {
  expect_points(
      imagenet("resnet50", {.piecewise = "1;3;.1;5;.01"}, 32),
      {{0, 1}, {120108, 1}, {120109, 0.1}, {200181, 0.1}, {200182, 0.01}, {100000000, 0.01}});
}

TEST(LearningRate, WarmsUpToTheFirstPieceOfASchedule) {
  expect_points(imagenet("trivial", {.piecewise = "2;30;1", .warmup_epochs = 1}, 1281167 / 10),
                {{0, 0}, {5, 1}, {10, 2}, {299, 2}, {300, 1}});
}

struct BaseCase {
  std::optional<double> base;
  int64_t batch;
  int summed;
  double rate;
};

TEST(LearningRate, OfResnetScalesWithTheBatchAndNotWithSummedReplicas) {
  for (const BaseCase& c :
       {BaseCase{{}, 128, 1, 0.064}, BaseCase{{}, 2048, 8, 0.128}, BaseCase{{}, 512, 1, 0.256},
        BaseCase{{}, 13, 2, 0.00325}, BaseCase{0.05, 256, 1, 0.05}}) {
    const Schedule schedule =
        make_schedule(find_model("resnet50").schedule, {.resnet_base = c.base},
                      {.examples_per_epoch = 1281167,
                       .examples_per_step = c.batch,
                       .gradients_summed_over = c.summed});
    EXPECT_NEAR(schedule.at(schedule.warmup_steps), c.rate, kTolerance);
  }
}

TEST(LearningRate, OfMostModelsIsConstant) {
  expect_points(imagenet("vgg16", {}, 64), {{0, 0.005}, {10000000, 0.005}});
}

TEST(LearningRate, OfCifarModelsFallsAtTheirEpochs) {
  const int64_t epoch = 50000 / 128;  // whole steps
  expect_points(cifar("resnet20", 128), {{0, 0.1},
                                         {82 * epoch, 0.1},
                                         {82 * epoch + 1, 0.01},
                                         {123 * epoch + 1, 0.001},
                                         {300 * epoch, 0.001},
                                         {300 * epoch + 1, 0.0002}});
  expect_points(cifar("densenet40_k12", 128), {{0, 0.1},
                                               {150 * epoch, 0.1},
                                               {150 * epoch + 1, 0.01},
                                               {225 * epoch + 1, 0.001},
                                               {300 * epoch + 1, 0.0001}});
  expect_points(cifar("alexnet", 128),
                {{0, 0.1}, {39061, 0.1}, {39062, 0.01}, {2 * 39062 - 1, 0.01}, {2 * 39062, 0.001}});
}

TEST(LearningRate, CanWarmUpForLongerThanAnyRun) {
  const Schedule schedule = imagenet("vgg16", {.initial = 1, .warmup_epochs = 1e300}, 32);
  EXPECT_GT(schedule.warmup_steps, int64_t{1} << 50);
  EXPECT_NEAR(schedule.at(1000), 0, kTolerance);
}

TEST(LearningRateFlags, ThatFitTogetherAreFine) {
  EXPECT_THAT(problems_in(LearningRateFlags{}), IsEmpty());
  EXPECT_THAT(problems_in({.initial = 1, .epochs_per_decay = 2, .decay_factor = 0.5}), IsEmpty());
  EXPECT_THAT(problems_in({.piecewise = "1", .warmup_epochs = 5}), IsEmpty());
}

TEST(LearningRateFlags, ThatContradictEachOtherAreNamed) {
  const std::vector<LearningRateFlags> wrong = {
      {.piecewise = "1;2;3", .initial = 1}, {.initial = 1, .epochs_per_decay = 2},
      {.initial = 1, .decay_factor = 0.5},  {.epochs_per_decay = 2, .decay_factor = 0.5},
      {.initial = 1, .minimum = 0.1},       {.warmup_epochs = 5},
      {.initial = 1, .warmup_epochs = -1},
  };
  for (const LearningRateFlags& flags : wrong) EXPECT_THAT(problems_in(flags), SizeIs(1));
}

TEST(LearningRateFlags, AMalformedPiecewiseScheduleIsShown) {
  for (const char* text : {"", "1;2", "a", "1;;2", "1;3;.1;2;.01", "1;2;3;", "1,2,3", "nan;1;.1",
                           "1;inf;.1", "1;-2;.1", "-1"}) {
    EXPECT_THAT(problems_in({.piecewise = text}), SizeIs(1)) << text;
    EXPECT_THAT(problems_in({.piecewise = text}), Each(HasSubstr("'" + std::string(text) + "'")));
  }
}

TEST(LearningRateFlags, WithProblemsMakeNoSchedule) {
  EXPECT_THROW(imagenet("resnet50", {.initial = 1, .decay_factor = 0.5}, 32), UsageError);
}

}  // namespace
}  // namespace lockstep
