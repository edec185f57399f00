#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/atomic_file.h"
#include "base/error.h"
#include "config/json.h"
#include "report/results/benchmark_log.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::string text_in(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }
  int64_t file_count() const {
    return std::distance(fs::directory_iterator(directory_), fs::directory_iterator());
  }
  TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path();
};

TEST_F(Files, AWholeFileReplacesTheOldOneAndLeavesNothingElse) {
  write_whole_file(path("a.json"), "old");
  write_whole_file(path("a.json"), "new");
  EXPECT_EQ(text_in("a.json"), "new");
  EXPECT_EQ(file_count(), 1);
}

TEST_F(Files, AFailedWriteKeepsTheOldFile) {
  fs::create_directory(path("taken"));  // a file cannot take the name of a directory
  std::ofstream(path("taken/inside")) << "x";
  EXPECT_THROW(write_whole_file(path("taken"), "text"), Error);
  EXPECT_EQ(file_count(), 1);
  EXPECT_TRUE(fs::is_directory(path("taken")));
}

TEST_F(Files, ProbingLeavesNothingBehind) {
  EXPECT_EQ(why_unwritable(path("a.json")), "");
  EXPECT_EQ(file_count(), 0);
  EXPECT_NE(why_unwritable(path("missing/a.json")).find("no such directory"), std::string::npos);
  EXPECT_EQ(why_unwritable(directory_.string()), "it is a directory");
  EXPECT_NE(why_unwritable("/proc/lockstep.json"), "");
  EXPECT_EQ(why_unwritable("/dev/null"), "it is not a file");
}

TEST_F(Files, MetricLinesAreJsonWithTheKnownKeys) {
  const WallTime time{std::chrono::microseconds(1517402096'123456)};
  EXPECT_EQ(metric_line("current_examples_per_sec", 204.5, 20, time),
            R"({"name":"current_examples_per_sec","value":204.5,"unit":null,"global_step":20,)"
            R"("timestamp":"2018-01-31T12:34:56.123456Z","extras":[]})"
            "\n");
}

TEST_F(Files, TheBenchmarkLogAppendsMetricsAndRewritesTheRun) {
  BenchmarkLog log(path("logs/deep"));
  RunResult result;
  result.facts.model = "lenet";
  result.config.benchmark_test_id = "id-7";
  log.run(result, 0.5);
  log.run(result, 0.5);
  log.metric("a", 1, 1);
  log.metric("b", 2, 2);
  const Json run = Json::parse(text_in("logs/deep/benchmark_run.log"));
  EXPECT_EQ(run.at("model_name"), "lenet");
  EXPECT_EQ(run.at("test_id"), "id-7");
  std::string last;
  for (const Json& parameter : run.at("run_parameters")) {
    EXPECT_LT(last, parameter.at("name").get<std::string>());
    last = parameter.at("name");
  }
  const std::string metrics = text_in("logs/deep/metric.log");
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 2);
}

TEST_F(Files, AnInvalidLogDirectoryIsRejected) {
  EXPECT_THROW(BenchmarkLog("/proc/nowhere"), Error);
}

}  // namespace
}  // namespace lockstep
