#include "nn/model_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CanonicalName, ForgetsCaseSeparatorsAndTheVersionLetter) {
  EXPECT_EQ(canonical_name("Inception-V3"), "inception3");
  EXPECT_EQ(canonical_name("densenet100_k24"), "densenet100k24");
}

TEST(CanonicalName, KeepsNumbersApart) {
  EXPECT_EQ(canonical_name("resnet50_v2"), canonical_name("ResNet50V2"));
  EXPECT_NE(canonical_name("resnet50_v2"), canonical_name("resnet502"));
  EXPECT_NE(canonical_name("resnet15-2"), canonical_name("resnet152"));
}

TEST(CanonicalName, TakesVersionOneForThePlainName) {
  EXPECT_EQ(canonical_name("resnet50_v1"), canonical_name("resnet50"));
  EXPECT_NE(canonical_name("resnet50_v1.5"), canonical_name("resnet50"));
}

TEST(CanonicalName, KeepsTheLetterVOfAWord) {
  EXPECT_EQ(canonical_name("overfeat"), "overfeat");
  EXPECT_EQ(canonical_name("vgg16"), "vgg16");
}

TEST(CloseNames, ListsTheNearestFirst) {
  const std::vector<std::string> names = {"resnet50_v2", "vgg16", "resnet50", "trivial"};
  EXPECT_THAT(close_names("resnt50", names), ElementsAre("resnet50"));
  EXPECT_THAT(close_names("resnet", names), ElementsAre("resnet50_v2", "resnet50"));
  EXPECT_THAT(close_names("transformer", names), IsEmpty());
}

}  // namespace
}  // namespace lockstep
