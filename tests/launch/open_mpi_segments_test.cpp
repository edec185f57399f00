#include "launch/open_mpi_segments.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Segments in a directory of the test's own.
class OpenMpiSegments : public ::testing::Test {
 protected:
  OpenMpiSegments() {
    fs::create_directories(memory_);
    fs::create_directories(processes_ / "17");
  }
  std::string make(const std::string& name) const {
    std::ofstream(memory_ / name) << "x";
    return (memory_ / name).string();
  }
  void map(const std::string& path) const {
    std::ofstream(processes_ / "17" / "maps")
        << "7f00-7f01 rw-s 00000000 00:19 5   " << path << "\n";
  }
  SegmentSearch search(std::chrono::seconds run_began_ago = std::chrono::hours(1)) const {
    return {.directory = memory_.string(),
            .processes = processes_.string(),
            .newer_than = std::chrono::system_clock::now() - run_began_ago,
            .youngest = std::chrono::seconds(0)};
  }

  TemporaryDirectory temporary_;
  const fs::path memory_ = fs::path(temporary_.path()) / "shm",
                 processes_ = fs::path(temporary_.path()) / "proc";
};

TEST_F(OpenMpiSegments, ThoseThatNoProcessMapsAreUnused) {
  const std::string used = make("vader_segment.host0.0.48470001.0");
  const std::string unused = make("vader_segment.host0.0.48470001.1");
  map(used);
  EXPECT_THAT(unused_segments(search()), ElementsAre(unused));
}

TEST_F(OpenMpiSegments, OtherFilesAreLeftAlone) {
  make("lockstep-1");
  make("sem.vader_segment");
  EXPECT_THAT(unused_segments(search()), IsEmpty());
}

TEST_F(OpenMpiSegments, ThoseOfEarlierRunsAreLeftAlone) {
  make("vader_segment.host0.0.48470001.0");
  EXPECT_THAT(unused_segments(search(std::chrono::hours(-1))), IsEmpty());
}

TEST_F(OpenMpiSegments, OneThatWasJustMadeMayBeMappedAMomentLater) {
  make("vader_segment.host0.0.48470001.0");
  SegmentSearch now = search();
  now.youngest = std::chrono::hours(1);
  EXPECT_THAT(unused_segments(now), IsEmpty());
}

TEST_F(OpenMpiSegments, UnusedOnesAreRemoved) {
  make("vader_segment.host0.0.48470001.0");
  make("other");
  remove_unused_segments(search());
  EXPECT_FALSE(fs::exists(memory_ / "vader_segment.host0.0.48470001.0"));
  EXPECT_TRUE(fs::exists(memory_ / "other"));
}

}  // namespace
}  // namespace lockstep
