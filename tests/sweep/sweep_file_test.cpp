#include "sweep/sweep_file.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SweepFile : public ::testing::Test {
 protected:
  std::string write(const std::string& text) {
    path_ = (std::filesystem::path(testing::TempDir()) /
             ("sweep-" + std::to_string(getpid()) + ".toml"))
                .string();
    std::ofstream(path_) << text;
    return path_;
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_;
};

TEST_F(SweepFile, ListsAndSingleValuesKeepTheirOrder) {
  const auto entries = read_sweep_file(
      write("models = ['alexnet:256']\nnum_devices = [1, 2]\noverlap = false\nbucket-mb = 0.5\n"));
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries[1].name, "num-devices");
  EXPECT_THAT(entries[1].values, ElementsAre("1", "2"));
  EXPECT_THAT(entries[2].values, ElementsAre("false"));
  EXPECT_THAT(entries[3].values, ElementsAre("0.5"));
}

TEST_F(SweepFile, ErrorsNameTheLine) {
  for (const char* text : {"\nmodels = [", "\nmodels = {a = 1}\n"}) {
    try {
      read_sweep_file(write(text));
      FAIL() << text;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path_ + ":2"));
    }
  }
}

TEST_F(SweepFile, AMissingFileIsNamed) {
  EXPECT_THROW(read_sweep_file("/nonexistent/sweep.toml"), UsageError);
}

}  // namespace
}  // namespace lockstep
