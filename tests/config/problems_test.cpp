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

TEST(Problems, InferenceHasNoGradientsAndNoLoss) {
  EXPECT_THAT(problems_in({.aux_head = true, .forward_only = true, .gradient_clip = 1.0}),
              SizeIs(2));
}

TEST(Problems, OneDeviceIsAllThereIs) {
  EXPECT_THAT(problems_in({.num_devices = 8}), ElementsAre(HasSubstr("--num-devices 8")));
  EXPECT_THAT(problems_in({.variable_update = "distributed_replicated"}),
              ElementsAre(HasSubstr("needs several workers")));
  for (const char* fine : {"independent", "replicated", "parameter_server", "horovod"}) {
    EXPECT_THAT(problems_in({.variable_update = fine}), IsEmpty()) << fine;
  }
}

TEST(Problems, AreReportedAllAtOnce) {
  EXPECT_THAT(problems_in({.num_batches = 5,
                           .num_epochs = 1.0,
                           .num_warmup_batches = 0,
                           .num_devices = 2,
                           .trace_file = "t.json",
                           .benchmark_test_id = "x"}),
              SizeIs(4));
}

}  // namespace
}  // namespace lockstep
