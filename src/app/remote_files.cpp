#include "app/remote_files.h"

#include <filesystem>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr const char* kResult = "result.json";
constexpr const char* kTrace = "trace.json";
constexpr const char* kBenchmark = "benchmark";

std::string if_wanted(const std::string& here, const char* there) {
  return here.empty() ? "" : there;
}

std::string last_part(const std::string& name) {
  return std::filesystem::path(name).filename().string();
}

// What is kept there for longer than the run cannot lie in the run's directory, which goes with it.
void refuse_relative(const char* option, const std::string& directory) {
  if (directory.empty() || std::filesystem::path(directory).is_absolute()) return;
  throw UsageError("{} is on rank 0's host: give an absolute path, not '{}'", option, directory);
}

}  // namespace

RunConfig RemoteFiles::remote(const RunConfig& run) {
  refuse_relative("--train-dir", run.train_dir);
  refuse_relative("--summary-dir", run.summary_dir);
  RunConfig there = run;
  there.result = if_wanted(run.result, kResult);
  there.trace_file = if_wanted(run.trace_file, kTrace);
  there.benchmark_log_dir = if_wanted(run.benchmark_log_dir, kBenchmark);
  return there;
}

bool RemoteFiles::comes_back(const std::string& name) {
  const std::filesystem::path directory = std::filesystem::path(name).parent_path();
  return name == kResult || name == kTrace || directory == kBenchmark;
}

void RemoteFiles::add(const std::string& name, const std::string& bytes) {
  const std::string place = place_of(name);
  if (place.empty()) return;
  auto found = open_.find(place);
  if (found == open_.end()) {
    const auto directory = std::filesystem::path(place).parent_path();
    std::error_code ignored;
    if (!directory.empty()) std::filesystem::create_directories(directory, ignored);
    found = open_.emplace(place, std::ofstream(place, std::ios::binary)).first;
  }
  if (!found->second.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush()) {
    throw Error("cannot write {}", place);
  }
}

// Only the last part of a name that comes from elsewhere is used: it cannot leave its directory.
std::string RemoteFiles::place_of(const std::string& name) const {
  if (name == kResult) return run_.result;
  if (name == kTrace) return run_.trace_file;
  const std::filesystem::path directory = std::filesystem::path(name).parent_path();
  if (directory == kBenchmark && !run_.benchmark_log_dir.empty()) {
    return (std::filesystem::path(run_.benchmark_log_dir) / last_part(name)).string();
  }
  return "";
}

}  // namespace lockstep
