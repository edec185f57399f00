#include "launch/deploy.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(WithoutHome, TheHomeDirectoryBecomesARelativePath) {
  EXPECT_EQ(without_home("~/x/y"), "x/y");
  EXPECT_EQ(without_home("~"), ".");
}

TEST(WithoutHome, OtherDirectoriesStayAsTheyAre) {
  EXPECT_EQ(without_home("/scratch/~/x"), "/scratch/~/x");
  EXPECT_EQ(without_home(".cache/lockstep"), ".cache/lockstep");
  EXPECT_EQ(without_home("~other/x"), "~other/x");
}

}  // namespace
}  // namespace lockstep
