#include "sweep/axes.h"

#include <gmock/gmock.h>

#include <set>

#include "base/error.h"
#include "config/run_id.h"
#include "config/run_json.h"
#include "config/run_label.h"
#include "sweep/run_sweep.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RunConfig as_it_is(const RunConfig& run) { return run; }

std::set<std::string> ids_of(const std::vector<SweepRun>& runs) {
  std::set<std::string> ids;
  for (const SweepRun& run : runs) ids.insert(run.id);
  return ids;
}

TEST(Axes, DevicesDoubleAndEndWithTheMost) {
  EXPECT_THAT(doubling(1), ElementsAre("1"));
  EXPECT_THAT(doubling(8), ElementsAre("1", "2", "4", "8"));
  EXPECT_THAT(doubling(12), ElementsAre("1", "2", "4", "8", "12"));
}

TEST(Axes, AllCombinationsAreRunsAndTheOrderOfAxesDoesNotMatter) {
  const Axis devices = option_axis("num-devices", {"1", "2", "4"});
  const Axis models = models_axis({"alexnet:256", "inception3:16"});
  const Axis one[] = {models, devices}, other[] = {devices, models};
  const auto runs = expand({}, one, as_it_is).runs;
  EXPECT_EQ(runs.size(), 6u);
  EXPECT_EQ(ids_of(runs), ids_of(expand({}, other, as_it_is).runs));
  EXPECT_EQ(runs.front().config.model, "alexnet");
  EXPECT_EQ(runs.front().config.batch_size, 256);
}

TEST(Axes, RunsWithTheSameWorkAreMerged) {
  const Axis axes[] = {option_axis("num-ps", {"1", "2"})};
  const auto without_servers = [](RunConfig run) {
    run.num_ps.reset();
    return run;
  };
  EXPECT_EQ(expand({}, axes, without_servers).runs.size(), 1u);
}

TEST(Axes, AllProblemsAreReportedBeforeTheFirstRun) {
  const Axis axes[] = {option_axis("num-devices", {"1", "2"})};
  const auto never = [](const RunConfig&) -> RunConfig { throw UsageError("no"); };
  try {
    expand({}, axes, never);
    FAIL() << "it was accepted";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "no");  // of all runs, and told once
  }
}

TEST(Axes, AProblemOfSomeRunsListsThem) {
  const Axis axes[] = {models_axis({"alexnet", "lenet"}),
                       option_axis("num-devices", {"1", "2", "4"})};
  const auto sometimes = [](const RunConfig& run) -> RunConfig {
    if (run.num_devices > 1) throw UsageError("too many");
    if (run.model == "lenet") throw UsageError("too small");
    return run;
  };
  try {
    expand({}, axes, sometimes);
    FAIL() << "it was accepted";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "alexnet on 2, 4 devices: too many\nlenet on 2, 4 devices: too many\n"
                 "lenet on 1 device: too small");
  }
}

RunConfig only_plain_in_pytorch(RunConfig run) {
  if (has_framework(run) && run.forward_only) throw NotSupportedError("no\nnever");
  if (run.model == "Inceptionv3") run.model = "inception3";
  return run;
}

TEST(Axes, WhatAFrameworkLacksIsSkippedWithTheReason) {
  const Axis axes[] = {models_axis({"Inceptionv3:4"}),
                       option_axis("framework", {"lockstep", "pytorch"}),
                       option_axis("forward-only", {"false", "true"})};
  const ExpandedRuns expanded = expand({}, axes, only_plain_in_pytorch);
  EXPECT_EQ(expanded.runs.size(), 3u);
  ASSERT_EQ(expanded.skipped.size(), 1u);
  const SkippedRun& skipped = expanded.skipped.front();
  EXPECT_EQ(skipped.reason, "no; never");
  EXPECT_EQ(skipped.run.config.model, "inception3");  // as in the rows of the others
  EXPECT_EQ(skipped.run.config.framework, "pytorch");
  EXPECT_EQ(skipped.run.id, run_id(skipped.run.config));
}

TEST(Axes, FrameworksAreOurEnginesOtherFrameworksAndPrograms) {
  const Axis axes[] = {
      frameworks_axis({"lockstep", "lockstep:torch", "pytorch:eager", "tf_cnn_benchmarks"})};
  std::vector<std::string> labels;
  for (const SweepRun& run : expand({}, axes, as_it_is).runs) {
    labels.push_back(engine_label(run.config));
  }
  EXPECT_THAT(labels, ElementsAre("native", "torch", "pytorch:eager", "tf_cnn_benchmarks"));
}

TEST(Axes, AScriptIsAFrameworkWhereverItIs) {
  const Axis axis = frameworks_axis({"mine.py", "./there/mine.py"});
  for (const auto& point : axis.points) EXPECT_EQ(point.front().option, "framework");
}

TEST(Axes, AnEngineMayHaveALayout) {
  const Axis axes[] = {frameworks_axis({"lockstep:torch", "lockstep:torch:NHWC", "pytorch"})};
  std::vector<std::string> layouts;
  for (const SweepRun& run : expand({}, axes, as_it_is).runs) {
    layouts.push_back(engine_label(run.config) + " " + run.config.data_format);
  }
  EXPECT_THAT(layouts, ElementsAre("torch NCHW", "torch NHWC", "pytorch NCHW"));
}

TEST(Axes, ASweepOfWhichNothingIsSupportedIsRefused) {
  const Axis axes[] = {option_axis("framework", {"pytorch"}),
                       option_axis("forward-only", {"true"})};
  EXPECT_THROW(expand({}, axes, only_plain_in_pytorch), UsageError);
}

TEST(Axes, AnOptionIsSetByOneAxisOnly) {
  const Axis axes[] = {models_axis({"alexnet:256"}), option_axis("batch-size", {"8"})};
  EXPECT_THROW(expand({}, axes, as_it_is), UsageError);
  const Axis fine[] = {models_axis({"alexnet"}), option_axis("batch-size", {"8", "16"})};
  EXPECT_EQ(expand({}, fine, as_it_is).runs.size(), 2u);
  EXPECT_THROW(models_axis({"alexnet:8:9"}), UsageError);
  EXPECT_THROW(models_axis({"alexnet:"}), UsageError);
}

TEST(TrainArguments, ListTheOptionsThatDifferFromTheDefaults) {
  RunConfig run;
  run.model = "alexnet";
  run.overlap = false;
  // Which network is the default depends on the hosts.
  EXPECT_THAT(train_arguments(RunConfig{}), ::testing::Contains("--model=trivial"));
  EXPECT_THAT(train_arguments(run),
              ElementsAre("--model=alexnet", "--device=cpu", "--engine=native", "--overlap=false"));
}

TEST(RunLabel, ListsTheOptionsThatDiffer) {
  RunConfig a, b;
  a.model = "alexnet";
  a.batch_size = 8;
  b = a;
  b.variable_update = "horovod";
  b.num_devices = 2;
  const RunConfig both[] = {a, b};
  EXPECT_EQ(run_label(b, differing_options(both)), "alexnet:8 x2 native variable-update=horovod");
}

}  // namespace
}  // namespace lockstep
