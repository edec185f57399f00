#include "base/random_token.h"

#include <gmock/gmock.h>

namespace lockstep {
namespace {

TEST(RandomToken, HasThirtyTwoHexadecimalDigits) {
  EXPECT_THAT(random_token(), ::testing::MatchesRegex("[0-9a-f]{32}"));
}

TEST(RandomToken, DiffersEachTime) { EXPECT_NE(random_token(), random_token()); }

}  // namespace
}  // namespace lockstep
