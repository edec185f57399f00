#include "launch/deploy.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_directory.h"

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

// Else hosts that have the bundle already would not get what pip added to it.
TEST(DirectoryName, AnEngineThatIsAddedToABundleChangesItsName) {
  const TemporaryDirectory directory;
  for (const char* name : {"lockstep", "lockstep-program", "ld-linux-x86-64.so.2"}) {
    std::ofstream(directory.path(name)) << name;
  }
  const std::string before = directory_name(directory.path("lockstep"));
  std::ofstream(directory.path("lockstep-torch.torch-version")) << "2.15.0 0123\n";
  const std::string with_torch = directory_name(directory.path("lockstep"));
  std::ofstream(directory.path("lockstep-torch.torch-version")) << "2.15.0 4567\n";
  EXPECT_NE(before, with_torch);
  EXPECT_NE(with_torch, directory_name(directory.path("lockstep")));
}

}  // namespace
}  // namespace lockstep
