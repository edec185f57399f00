// run_logs.h: the directory with the logs of a launched run, one file per process.
//
// It is --log-dir, or by default lockstep-runs/TIME-NAME in the current directory, which is
// printed.
#pragma once

#include <iosfwd>
#include <string>

namespace lockstep {

struct LogOptions {
  std::string directory;     // --log-dir; empty: the default
  std::string name;          // of the run, for the default: "resnet50"
  bool only_failed = false;  // remove the default directory after a successful run
};

// The next free default directory for a run of that name that starts now.
std::string own_log_directory(const std::string& name);

class RunLogs {
 public:
  // Creates the directory. Throws UsageError if --log-dir cannot be created. If the default cannot,
  // prints a note on `err`, and nothing is logged.
  RunLogs(const LogOptions& options, std::ostream& err);
  ~RunLogs();  // removes the default directory if it is empty
  RunLogs(const RunLogs&) = delete;
  RunLogs& operator=(const RunLogs&) = delete;

  const std::string& directory() const { return directory_; }  // empty: no logs
  std::string line() const;  // prints the default directory; empty for --log-dir
  // Call when the run has ended.
  void finish(bool went_well);

 private:
  std::ostream& err_;
  bool own_, only_failed_;
  std::string directory_;
};

}  // namespace lockstep
