#include "config/independent_twin.h"

#include <gtest/gtest.h>

#include "config/run_id.h"

namespace lockstep {
namespace {

TEST(IndependentTwin, IsTheSameForAllStrategies) {
  RunConfig reduced, served;
  reduced.model = served.model = "alexnet";
  reduced.num_devices = served.num_devices = 4;
  reduced.bucket_mb = 4;
  reduced.gradient_compression = "fp16";
  served.variable_update = "parameter_server";
  served.num_ps = 2;
  EXPECT_EQ(run_id(independent_twin(reduced)), run_id(independent_twin(served)));
  EXPECT_EQ(independent_twin(served).variable_update, "independent");
  EXPECT_EQ(independent_twin(served).num_devices, 4);
}

TEST(IndependentTwin, OnlySeveralWorkersOfOurOwnThatCommunicateHaveOne) {
  RunConfig run;
  EXPECT_TRUE(has_independent_twin(run, 2));
  EXPECT_FALSE(has_independent_twin(run, 1));
  EXPECT_FALSE(has_independent_twin(independent_twin(run), 2));
  run.program = "tf";
  EXPECT_FALSE(has_independent_twin(run, 2));
}

}  // namespace
}  // namespace lockstep
