#include "run/framework/same_network.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"

namespace lockstep {
namespace {

const Framework& any() { return frameworks().front(); }

TEST(SameNetwork, TheLargestRelativeDifferenceOfALossCounts) {
  const double native[] = {8.0, 4.0}, theirs[] = {8.0, 4.0004};
  EXPECT_NEAR(same_losses(any(), native, theirs), 1e-4, 1e-9);
}

TEST(SameNetwork, OtherLossesAreAnotherNetwork) {
  const double native[] = {8.0, 4.0}, wrong[] = {8.0, 4.04}, few[] = {8.0};
  const double undefined[] = {8.0, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(same_losses(any(), native, wrong), Error);
  EXPECT_THROW(same_losses(any(), native, few), Error);
  EXPECT_THROW(same_losses(any(), native, undefined), Error);
}

TEST(SameNetwork, ParametersAndMultiplyAddsAreEqual) {
  RunFacts facts;
  facts.parameters = 10;
  facts.forward_macs = 100;
  EXPECT_NO_THROW(require_same_size(any(), facts, {.parameters = 10, .forward_macs = {}}));
  EXPECT_NO_THROW(require_same_size(any(), facts, {.parameters = 10, .forward_macs = 100}));
  EXPECT_THROW(require_same_size(any(), facts, {.parameters = 11, .forward_macs = {}}), Error);
  EXPECT_THROW(require_same_size(any(), facts, {.parameters = 10, .forward_macs = 99}), Error);
}

}  // namespace
}  // namespace lockstep
