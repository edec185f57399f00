#include "run/framework/same_network.h"

#include <gmock/gmock.h>

#include <fstream>
#include <limits>

#include "base/error.h"
#include "support/temporary_directory.h"

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

// Two rows, one step: a parameter of values near 1 that gradients moved by 0.1, and an average.
class SameValues : public ::testing::Test {
 protected:
  void SetUp() override {
    native_.losses = {2.0};
    native_.rows = {{.name = "conv0/kernel", .size = 2, .moved = {0.1}, .noise = {0}},
                    {.name = "batchnorm0/moving_mean", .size = 1, .moved = {0.5}, .noise = {0}}};
    native_.values = write("native.f32", {1.0f, -1.0f, 0.5f});
  }
  std::filesystem::path write(const char* name, const std::vector<float>& values) const {
    const std::filesystem::path path = temporary_.path() / name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(float)));
    return path;
  }
  double difference(const std::vector<float>& theirs) const {
    return same_values(any(), native_, write("theirs.f32", theirs)).nearest.difference;
  }
  std::string refusal(const std::vector<float>& theirs) const {
    try {
      difference(theirs);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryDirectory temporary_;
  NativeCheck native_;
};

TEST_F(SameValues, ADifferenceIsAPartOfWhatGradientsMoved) {
  EXPECT_EQ(difference({1.0f, -1.0f, 0.5f}), 0);
  EXPECT_NEAR(difference({1.001f, -1.0f, 0.5f}), 0.01, 1e-5);
}

TEST_F(SameValues, TheLastBitOfAValueIsNoDifference) {
  native_.rows[0].moved = {1e-7};
  EXPECT_EQ(difference({1.0000001f, -1.0f, 0.5f}), 0);
}

// Noise of 0.06 of the change adds 0.18 to the tolerance of 0.1.
TEST_F(SameValues, ARowThatRoundingChangesMayDifferByThreeTimesAsMuchMore) {
  EXPECT_NE(refusal({1.02f, -1.0f, 0.5f}), "");
  native_.rows[0].noise = {0.006};
  EXPECT_NEAR(difference({1.02f, -1.0f, 0.5f}), 0.2, 1e-5);
  EXPECT_NE(refusal({1.03f, -1.0f, 0.5f}), "");
}

TEST_F(SameValues, TheRowNearestToItsToleranceIsReported) {
  native_.rows[0].noise = {0.01};
  const RowDifference found =
      same_values(any(), native_, write("theirs.f32", {1.01f, -1.0f, 0.54f})).nearest;
  EXPECT_NEAR(found.difference, 0.08, 1e-5);
  EXPECT_EQ(found.tolerance, kSameGradient);
}

TEST_F(SameValues, ARowThatDiffersIsNamed) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refusal({1.05f, -1.0f, 0.5f}),
              ::testing::HasSubstr("after step 1, conv0/kernel differs by 0.5 of its change"));
  EXPECT_THAT(refusal({1.0f, -1.0f, 0.0f}), ::testing::HasSubstr("moving_mean differs by 1 "));
  EXPECT_THAT(refusal({nan, -1.0f, 0.5f}), ::testing::HasSubstr("conv0/kernel differs"));
  EXPECT_THAT(refusal({1.0f, -1.0f}), ::testing::HasSubstr("ends before batchnorm0/moving_mean"));
}

TEST_F(SameValues, ARowThatGradientsDidNotMoveMustStay) {
  native_.rows[0].moved = {0.0};
  EXPECT_EQ(difference({1.0f, -1.0f, 0.5f}), 0);
  EXPECT_THAT(refusal({1.01f, -1.0f, 0.5f}), ::testing::HasSubstr("conv0/kernel differs"));
}

TEST_F(SameValues, ARowOfNoiseIsNotComparedAndCounted) {
  native_.rows[0].noise = {0.02};
  const ValueCheck check = same_values(any(), native_, write("t.f32", {2.0f, -1.0f, 0.5f}));
  EXPECT_EQ(check.noisy_rows, 1);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refusal({nan, -1.0f, 0.5f}), ::testing::HasSubstr("conv0/kernel differs"));
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
