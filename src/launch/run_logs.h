// run_logs.h: the directory that keeps what each process of a launched run prints.
//
// --log-dir names one. Else a run makes one of its own, lockstep-runs/TIME-NAME where it was
// started, and says where it is.
#pragma once

#include <iosfwd>
#include <string>

namespace lockstep {

struct LogOptions {
  std::string directory;     // --log-dir; empty: one of its own
  std::string name;          // of the run, for its own: "resnet50"
  bool only_failed = false;  // its own goes again when the run went well
};

// The next free one of its own for a run of that name, which starts now.
std::string own_log_directory(const std::string& name);

class RunLogs {
 public:
  // Makes it. A directory of its own that cannot be made is a note on `err`, and nothing is kept;
  // throws UsageError for one that the user named.
  RunLogs(const LogOptions& options, std::ostream& err);
  ~RunLogs();  // nothing stays of its own if nothing was written there
  RunLogs(const RunLogs&) = delete;
  RunLogs& operator=(const RunLogs&) = delete;

  const std::string& directory() const { return directory_; }  // empty: nothing is kept
  std::string line() const;  // that says where they are; empty: the user knows
  // The run is over.
  void finish(bool went_well);

 private:
  std::ostream& err_;
  bool own_, only_failed_;
  std::string directory_;
};

}  // namespace lockstep
