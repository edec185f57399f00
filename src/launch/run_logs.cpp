#include "launch/run_logs.h"

#include <fmt/chrono.h>

#include <filesystem>
#include <ostream>

#include "base/error.h"
#include "process/output_log.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRuns = "lockstep-runs";

}  // namespace

std::string own_log_directory(const std::string& name) {
  const std::string first = fmt::format("{}/{:%Y%m%d-%H%M%S}-{}", kRuns,
                                        fmt::localtime(std::time(nullptr)), plain_name(name));
  std::string directory = first;
  for (int other = 2; fs::exists(directory); ++other) {  // of the same second
    directory = fmt::format("{}-{}", first, other);
  }
  return directory;
}

RunLogs::RunLogs(const LogOptions& options, std::ostream& err)
    : err_(err),
      own_(options.directory.empty()),
      only_failed_(options.only_failed),
      directory_(own_ ? own_log_directory(options.name) : options.directory) {
  std::error_code error;
  bool is_new = fs::create_directories(directory_, error);
  while (own_ && !error && !is_new) {  // somebody was faster
    directory_ = own_log_directory(options.name);
    is_new = fs::create_directories(directory_, error);
  }
  if (!error) return;
  if (!own_) throw UsageError("cannot create --log-dir {}: {}", directory_, error.message());
  err_ << "note: no logs are kept: cannot create " << directory_ << ": " << error.message() << "\n";
  directory_.clear();
}

RunLogs::~RunLogs() {
  if (!own_ || directory_.empty()) return;
  std::error_code not_empty;
  fs::remove(directory_, not_empty);
  fs::remove(kRuns, not_empty);
}

std::string RunLogs::line() const {
  return own_ && !directory_.empty() ? "logs: " + directory_ + "\n" : "";
}

void RunLogs::finish(bool went_well) {
  if (!own_ || directory_.empty()) return;
  std::error_code ignored;
  if (went_well && only_failed_) {
    fs::remove_all(directory_, ignored);
  } else if (!fs::is_empty(directory_, ignored)) {
    err_ << line();
  }
}

}  // namespace lockstep
