#include "launch/remote_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/text.h"
#include "report/render/output_lines.h"

namespace lockstep {
namespace {

constexpr const char* kResult = "result.json";
constexpr const char* kTrace = "trace.json";
constexpr const char* kProfile = "profile";
constexpr const char* kGraph = "graph.json";
constexpr const char* kGraphTable = "graph.txt";
constexpr const char* kBenchmark = "benchmark";
constexpr std::string_view kMetrics = "benchmark/metric.log";  // to which every run adds
constexpr std::string_view kBenchmarkRun = "benchmark/benchmark_run.log";
constexpr size_t kMostFileBytes = size_t{4} << 30;  // the records of a long run are gigabytes

std::string if_wanted(const std::string& here, const char* there) {
  return here.empty() ? "" : there;
}

std::string last_part(const std::string& name) {
  return std::filesystem::path(name).filename().string();
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Processes there run in a directory of the run, which goes with it: nothing that was there before,
// or is kept for longer, can lie in it.
void refuse_relative(const char* option, const std::string& directory, const char* where) {
  if (directory.empty() || std::filesystem::path(directory).is_absolute()) return;
  throw UsageError("{} is on {}: use an absolute path, not '{}'", option, where, directory);
}

}  // namespace

RunConfig RemoteFiles::remote(const RunConfig& run) {
  refuse_relative("--train-dir", run.train_dir, "rank 0's host");
  refuse_relative("--summary-dir", run.summary_dir, "rank 0's host");
  refuse_relative("--data-dir", run.data_dir, "the workers' hosts");
  RunConfig there = run;
  there.result = if_wanted(run.result, kResult);
  there.trace_file = if_wanted(run.trace_file, kTrace);
  there.profile_file = if_wanted(run.profile_file, kProfile);
  there.graph_file =
      if_wanted(run.graph_file, run.graph_file.ends_with("txt") ? kGraphTable : kGraph);
  there.benchmark_log_dir = if_wanted(run.benchmark_log_dir, kBenchmark);
  return there;
}

bool RemoteFiles::comes_back(const std::string& name) {
  constexpr std::string_view kFiles[] = {kResult,     kTrace,   kProfile,     kGraph,
                                         kGraphTable, kMetrics, kBenchmarkRun};
  return std::ranges::count(kFiles, name) > 0;
}

std::string RemoteFiles::add(const std::string& name, const std::string& bytes) {
  const std::string place = place_of(name);
  if (place.empty()) return "";
  if (!bytes.empty()) {
    std::string& arrived = arriving_[place] += bytes;
    if (arrived.size() > kMostFileBytes) {
      throw Error("a host sent more than {} for {}", bytes_text(int64_t{kMostFileBytes}), place);
    }
    return "";
  }
  std::error_code ignored;  // writing will tell
  const auto directory = std::filesystem::path(place).parent_path();
  if (!directory.empty()) std::filesystem::create_directories(directory, ignored);
  const std::string before = name == kMetrics ? contents_of(place) : "";
  write_whole_file(place, before + arriving_[place]);
  arriving_.erase(place);
  return name == kResult ? result_line(place) : "";
}

std::optional<std::string> RemoteFiles::in_names_of_here(const std::string& line) const {
  if (line == result_line(kResult)) return {};
  if (line == trace_line(kTrace)) return trace_line(run_.trace_file);
  for (const char* name : {kProfile, kGraph, kGraphTable}) {
    if (line == result_line(name)) return result_line(place_of(name));
  }
  return line;
}

std::string RemoteFiles::place_of(const std::string& name) const {
  if (name == kResult) return run_.result;
  if (name == kTrace) return run_.trace_file;
  if (name == kProfile) return run_.profile_file;
  if (name == kGraph || name == kGraphTable) return run_.graph_file;
  const bool benchmark = name == kMetrics || name == kBenchmarkRun;
  if (!benchmark || run_.benchmark_log_dir.empty()) return "";
  return (std::filesystem::path(run_.benchmark_log_dir) / last_part(name)).string();
}

}  // namespace lockstep
