#include "base/bundle.h"

#include <gmock/gmock.h>

#include <fstream>

#include "support/temporary_directory.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kLoader = "ld-linux-x86-64.so.2";

class Bundle : public ::testing::Test {
 protected:
  void make(const std::vector<std::string>& names) const {
    for (const std::string& name : names) std::ofstream(path(name)) << name;
  }
  std::string path(const std::string& name) const { return directory_.path(name); }

  TemporaryDirectory directory_;
};

TEST_F(Bundle, AProcessOfTheLoaderIsStartedByTheFileBesideIt) {
  make({kLoader, "lockstep", "lockstep-program"});
  EXPECT_EQ(startable(path(kLoader)), path("lockstep"));
}

TEST_F(Bundle, ALoaderOfTheSystemIsNotABundle) {
  make({kLoader, "lockstep"});
  EXPECT_EQ(startable(path(kLoader)), path(kLoader));
  EXPECT_THAT(bundle_files(path("lockstep")), IsEmpty());
}

TEST_F(Bundle, AnOrdinaryProgramStartsItself) {
  make({"lockstep"});
  EXPECT_EQ(startable(path("lockstep")), path("lockstep"));
  EXPECT_THAT(bundle_files(path("lockstep")), IsEmpty());
}

TEST_F(Bundle, AllItsFilesBelongToTheProgram) {
  make({kLoader, "lockstep", "lockstep-program", "libdnnl.so.2"});
  EXPECT_THAT(bundle_files(path("lockstep")),
              ElementsAre(kLoader, "libdnnl.so.2", "lockstep", "lockstep-program"));
}

TEST_F(Bundle, TheLoaderStartsItsOtherProgramsToo) {
  make({kLoader, "lockstep", "lockstep-program"});
  EXPECT_TRUE(is_bundled(path("lockstep")));
  EXPECT_EQ(bundled_loader(path("lockstep")), path(kLoader));
  EXPECT_EQ(bundled_executable(path("lockstep"), "lockstep-torch"), path("lockstep-torch-program"));
}

}  // namespace
}  // namespace lockstep
