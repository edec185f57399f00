#include "run/run_plan.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/text.h"
#include "run/memory_check.h"
#include "support/reference_kind.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const EngineKind kEngines[] = {reference_kind()};

RunPlan plan(const RunConfig& run) {
  RunPlan plan = plan_run(run, kEngines, 1);
  assign_worker(plan, {.threads = 2});
  return plan;
}

std::vector<std::string> problems(const RunConfig& run) {
  try {
    plan(run);
  } catch (const UsageError& error) {
    return split(error.what(), '\n');
  }
  return {};
}

TEST(Plan, EpochsAndRatesCountTheExamplesOfAllWorkers) {
  const RunConfig run = {.model = "resnet20", .batch_size = 50, .num_epochs = 1.0};
  EXPECT_EQ(plan_run(run, kEngines, 1).facts.timed_steps, 1000);
  EXPECT_EQ(plan_run(run, kEngines, 4).facts.timed_steps, 250);
}

TEST(Plan, WorkersStartFromTheSameValuesAndDropDifferentActivations) {
  const RunPlan first = plan_run({.model = "lenet"}, kEngines, 2);
  RunPlan second = first;
  assign_worker(second, {.rank = 1});
  EXPECT_EQ(first.first_values_seed, second.first_values_seed);
  EXPECT_NE(first.engine_options.seed, second.engine_options.seed);
}

TEST(Plan, OptionsThatAStrategyDoesNotUseAreRefused) {
  const char* servers = "parameter_server";
  const auto refuses = [](const std::string& strategy, const std::string& option) {
    return AllOf(HasSubstr("--variable-update " + strategy), HasSubstr(option));
  };
  EXPECT_THAT(problems({.model = "lenet",
                        .variable_update = servers,
                        .all_reduce_spec = "xring",
                        .gradient_compression = "fp16"}),
              UnorderedElementsAre(refuses(servers, "--all-reduce-spec"),
                                   refuses(servers, "--gradient-compression")));
  EXPECT_THAT(problems({.model = "lenet", .variable_update = servers, .gradient_repacking = 2}),
              ElementsAre(refuses(servers, "--gradient-repacking")));
  EXPECT_THAT(problems({.model = "lenet", .staged_vars = true}),
              ElementsAre(refuses("replicated", "--staged-vars")));
  EXPECT_THAT(problems({.model = "lenet", .ps_per_node = 1}),
              ElementsAre(refuses("replicated", "--ps-per-node")));
  EXPECT_THAT(problems({.model = "lenet", .variable_update = servers, .staged_vars = true}),
              IsEmpty());
}

TEST(Plan, MissingOptionsComeFromTheNetwork) {
  const RunPlan lenet = plan({.model = "LeNet"});
  EXPECT_EQ(lenet.facts.model, "lenet");
  EXPECT_EQ(lenet.facts.dataset, "imagenet");
  EXPECT_EQ(lenet.facts.batch_size, 32);
  EXPECT_EQ(lenet.facts.num_classes, 1001);
  EXPECT_EQ(lenet.facts.threads, 2);
  EXPECT_EQ(lenet.facts.timed_steps, 100);
  EXPECT_EQ(lenet.facts.parameters, 2173353);
}

TEST(Plan, EpochsAreRoundedUpToWholeSteps) {
  EXPECT_EQ(plan({.model = "resnet20", .batch_size = 128, .num_epochs = 1.0}).facts.timed_steps,
            391);
  EXPECT_EQ(plan({.model = "resnet20", .batch_size = 128, .num_epochs = 0.001}).facts.timed_steps,
            1);
  EXPECT_THAT(problems({.num_epochs = 1e9}), ElementsAre(HasSubstr("--num-epochs")));
}

TEST(Plan, ReportsTheProblemsOfEveryPartAtOnce) {
  const auto lines = problems({.model = "resnet51",
                               .num_batches = 1,
                               .num_epochs = 1.0,
                               .momentum = 2,
                               .num_epochs_per_decay = 3,
                               .engine = "abacus"});
  EXPECT_THAT(lines, AllOf(Contains(HasSubstr("resnet51")),                      // network
                           Contains(AllOf(HasSubstr("--num-batches"),            // rules
                                          HasSubstr("--num-epochs"))),           //
                           Contains(HasSubstr("--learning-rate-decay-factor")),  // schedule
                           Contains(HasSubstr("--momentum")),                    // optimizer
                           Contains(AllOf(HasSubstr("--engine"), HasSubstr("abacus")))));
}

TEST(Plan, AnUnknownNetworkOrDataSetIsRefused) {
  EXPECT_THAT(problems({.model = "resnet51"}), ElementsAre(HasSubstr("'resnet51'")));
  EXPECT_THAT(problems({.data_name = "coco"}), ElementsAre(HasSubstr("'coco'")));
  EXPECT_THAT(problems({.model = "vgg16", .data_name = "cifar10"}),
              ElementsAre(AllOf(HasSubstr("vgg16"), HasSubstr("imagenet"), HasSubstr("cifar10"))));
}

TEST(Plan, MemoryGrowsWithTheBatchAndTheOptimizer) {
  const RunPlan sgd = plan({.model = "lenet"});
  EXPECT_GT(needed_bytes(sgd, 64), needed_bytes(sgd, 32));
  const int64_t row = 4 * sgd.facts.parameters;
  EXPECT_EQ(needed_bytes(plan({.model = "lenet", .optimizer = "momentum"}), 32),
            needed_bytes(sgd, 32) + row);
  EXPECT_EQ(needed_bytes(plan({.model = "lenet", .optimizer = "adam"}), 32),
            needed_bytes(sgd, 32) + 2 * row);
}

TEST(Plan, TheLargestFittingBatchIsFound) {
  const RunPlan lenet = plan({.model = "lenet", .batch_size = 100});
  const int64_t available = needed_bytes(lenet, 77) + 10;
  EXPECT_EQ(largest_fitting_batch(lenet, available), 77);
  EXPECT_EQ(largest_fitting_batch(lenet, 1), 0);
  EXPECT_EQ(largest_fitting_batch(lenet, int64_t{1} << 40), 100);
}

TEST(Plan, ABatchIsHalvedUntilItFits) {
  const RunPlan lenet = plan({.model = "lenet", .batch_size = 100});
  EXPECT_EQ(halved_fitting_batch(lenet, int64_t{1} << 40), 100);
  EXPECT_EQ(halved_fitting_batch(lenet, needed_bytes(lenet, 99)), 50);
  EXPECT_EQ(halved_fitting_batch(lenet, needed_bytes(lenet, 26)), 25);
  EXPECT_EQ(halved_fitting_batch(lenet, 1), 0);
}

std::string refusal(const RunPlan& run, int64_t available) {
  try {
    make_fitting_engine(run, available);
  } catch (const Error& error) {
    return error.what();
  }
  return "fits";
}

TEST(Plan, ABatchThatDoesNotFitIsAnErrorThatHelps) {
  const RunPlan lenet = plan({.model = "lenet", .batch_size = 100});
  EXPECT_EQ(refusal(lenet, needed_bytes(lenet, 100)), "fits");
  EXPECT_EQ(refusal(lenet, needed_bytes(lenet, 77)),
            fmt::format("lenet with --batch-size 100 needs {} of memory, {} are available; "
                        "use --batch-size 77 at most",
                        bytes_text(needed_bytes(lenet, 100)), bytes_text(needed_bytes(lenet, 77))));
}

TEST(Plan, AnAbsurdBatchIsRefusedWithoutAskingTheEngine) {
  const RunPlan resnet20 = plan({.model = "resnet20", .batch_size = 1'000'000'000});
  const std::string line = refusal(resnet20, needed_bytes(resnet20, 2));
  EXPECT_NE(line.find("use --batch-size 2 at most"), std::string::npos) << line;
}

}  // namespace
}  // namespace lockstep
