#include "launch/remote_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

class RemoteFilesTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  static std::string contents(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t files_in_directory() const {
    size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(directory_)) {
      count += entry.is_regular_file();
    }
    return count;
  }

  TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path();
};

TEST_F(RemoteFilesTest, RemoteFilesHaveTheirOwnNames) {
  const RunConfig there = RemoteFiles::remote({.result = "/home/me/r.json"});
  EXPECT_EQ(there.result, "result.json");
  EXPECT_EQ(there.trace_file, "");
  EXPECT_EQ(RemoteFiles::remote({.profile_file = "p.pb"}).profile_file, "profile");
  EXPECT_EQ(RemoteFiles::remote({.graph_file = "g.pbtxt"}).graph_file, "graph.txt");
  EXPECT_EQ(RemoteFiles::remote({.graph_file = "g.pb"}).graph_file, "graph.json");
}

TEST_F(RemoteFilesTest, LinesNameTheFilesHere) {
  const RunConfig run = {.profile_file = "p.pb", .graph_file = "g.txt"};
  const RemoteFiles files(run);
  EXPECT_EQ(files.in_names_of_here("wrote profile"), "wrote p.pb");
  EXPECT_EQ(files.in_names_of_here("wrote graph.txt"), "wrote g.txt");
}

TEST_F(RemoteFilesTest, DirectoriesThatStayOnTheHostNeedAbsolutePaths) {
  const RunConfig there = RemoteFiles::remote({.train_dir = "/train/a", .summary_dir = "/train/b"});
  EXPECT_EQ(there.train_dir, "/train/a");
  EXPECT_EQ(there.summary_dir, "/train/b");
  EXPECT_THROW(RemoteFiles::remote({.train_dir = "train"}), UsageError);
  EXPECT_THROW(RemoteFiles::remote({.summary_dir = "./train"}), UsageError);
  EXPECT_EQ(RemoteFiles::remote({.data_dir = "/data"}).data_dir, "/data");
  EXPECT_THROW(RemoteFiles::remote({.data_dir = "data"}), UsageError);
}

TEST_F(RemoteFilesTest, OnlyFilesThatALauncherMayRequestAreSent) {
  for (const char* name : {"result.json", "trace.json", "profile", "graph.txt", "graph.json",
                           "benchmark/metric.log"}) {
    EXPECT_TRUE(RemoteFiles::comes_back(name)) << name;
  }
  for (const char* name : {"core", "model.ckpt-10", "benchmark/deep/metric.log", "benchmark/other",
                           "other/result.json"}) {
    EXPECT_FALSE(RemoteFiles::comes_back(name)) << name;
  }
}

TEST_F(RemoteFilesTest, PiecesBecomeTheFileThatTheUserNamed) {
  const RunConfig run = {.result = path("new/r.json")};
  RemoteFiles files(run);
  EXPECT_EQ(files.add("result.json", "one "), "");
  EXPECT_EQ(files.add("result.json", "two"), "");
  EXPECT_EQ(files.add("result.json", ""), "wrote " + run.result);
  EXPECT_EQ(contents(run.result), "one two");
}

TEST_F(RemoteFilesTest, RemoteFileNamesAreReplacedInTheOutput) {
  const RunConfig run = {.trace_file = "t.json", .result = "r.json"};
  const RemoteFiles files(run);
  EXPECT_EQ(files.in_names_of_here("wrote result.json"), std::nullopt);
  EXPECT_EQ(files.in_names_of_here("Dumping trace to trace.json"), "Dumping trace to t.json");
  EXPECT_EQ(files.in_names_of_here("wrote result.json of another"), "wrote result.json of another");
}

TEST_F(RemoteFilesTest, AnIncompleteFileDoesNotReplaceTheOldOne) {
  const RunConfig run = {.result = path("r.json")};
  std::ofstream(run.result) << "of yesterday";
  {
    RemoteFiles files(run);
    files.add("result.json", "{\"steps\": [1, 2,");
  }
  EXPECT_EQ(contents(run.result), "of yesterday");
  EXPECT_EQ(files_in_directory(), 1u);
}

TEST_F(RemoteFilesTest, MetricsAreAppendedToThoseOfEarlierRuns) {
  const RunConfig run = {.benchmark_log_dir = path("log")};
  for (const char* line : {"one\n", "two\n"}) {
    RemoteFiles files(run);
    for (const char* name : {"benchmark/metric.log", "benchmark/benchmark_run.log"}) {
      files.add(name, line);
      files.add(name, "");
    }
  }
  EXPECT_EQ(contents(path("log/metric.log")), "one\ntwo\n");
  EXPECT_EQ(contents(path("log/benchmark_run.log")), "two\n");
}

TEST_F(RemoteFilesTest, UnrequestedFilesAreDropped) {
  const RunConfig run = {.result = path("r.json")};
  RemoteFiles files(run);
  files.add("../../etc/passwd", "x");
  files.add("benchmark/../../escaped", "x");
  files.add("/etc/passwd", "x");
  files.add("trace.json", "x");
  files.add("benchmark/b", "x");
  EXPECT_EQ(files_in_directory(), 0u);
}

TEST_F(RemoteFilesTest, AHostChoosesNoNameInTheBenchmarkDirectory) {
  const RunConfig run = {.benchmark_log_dir = path("log")};
  RemoteFiles files(run);
  for (const char* name : {"benchmark/.bashrc", "benchmark/../metric.log", "benchmark/"}) {
    files.add(name, "x");
    files.add(name, "");
  }
  EXPECT_EQ(files_in_directory(), 0u);
}

TEST_F(RemoteFilesTest, AFileThatCannotBeWrittenIsAnError) {
  const RunConfig run = {.result = "/proc/no/such/place"};
  RemoteFiles files(run);
  files.add("result.json", "x");
  EXPECT_THROW(files.add("result.json", ""), Error);
}

}  // namespace
}  // namespace lockstep
