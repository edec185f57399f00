#include "config/problems.h"

#include <gmock/gmock.h>

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Problems, TheDefaultsHaveNone) { EXPECT_THAT(problems_in({}), IsEmpty()); }

TEST(Problems, LengthIsGivenOnce) {
  EXPECT_THAT(problems_in({.num_batches = 5, .num_epochs = 1.0}),
              ElementsAre(HasSubstr("give one of them")));
}

TEST(Problems, NoEpochsAreNoTraining) {
  EXPECT_THAT(problems_in({.num_epochs = 0.0}), ElementsAre("--num-epochs must be above 0"));
}

TEST(Problems, ATraceNeedsTwoWarmUpSteps) {
  EXPECT_THAT(problems_in({.num_warmup_batches = 1, .trace_file = "t.json"}),
              ElementsAre(HasSubstr("--num-warmup-batches of at least 2")));
  EXPECT_THAT(problems_in({.num_warmup_batches = 2, .trace_file = "t.json"}), IsEmpty());
}

TEST(Problems, EveryOutputHasAFileOfItsOwn) {
  EXPECT_THAT(problems_in({.trace_file = "x.json", .result = "x.json"}),
              ElementsAre("--result and --trace-file name the same file"));
}

TEST(Problems, InferenceHasNoGradientsAndNoLoss) {
  EXPECT_THAT(problems_in({.aux_head = true, .forward_only = true, .gradient_clip = 1.0}),
              SizeIs(2));
}

TEST(Problems, AListOfHostsNeedsToKnowWhichOneThisIs) {
  EXPECT_THAT(problems_in({.task_index = 1}), ElementsAre(HasSubstr("--job-name")));
  EXPECT_THAT(problems_in({.job_name = "worker", .worker_hosts = "a:1,b:1"}), IsEmpty());
}

TEST(Problems, GradientsTravelInOneWay) {
  EXPECT_THAT(problems_in({.bucket_mb = 4.0, .gradient_repacking = 2}), SizeIs(1));
  EXPECT_THAT(problems_in({.gradient_repacking = 2}), IsEmpty());
}

TEST(Problems, AreReportedAllAtOnce) {
  EXPECT_THAT(problems_in({.num_batches = 5,
                           .num_epochs = 1.0,
                           .num_warmup_batches = 0,
                           .task_index = 1,
                           .trace_file = "t.json",
                           .benchmark_test_id = "x"}),
              SizeIs(4));
}

}  // namespace
}  // namespace lockstep
