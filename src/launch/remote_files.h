// remote_files.h: receives the files of a run from other hosts, each complete or not at all.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "config/run_config.h"

namespace lockstep {

class RemoteFiles {
 public:
  explicit RemoteFiles(const RunConfig& run) : run_(run) {}

  // The same options with all output files in the run's directory on the host. Throws UsageError if
  // a directory that must exist before or after the run has a relative path.
  static RunConfig remote(const RunConfig& run);

  // Whether the launcher may have requested this file.
  static bool comes_back(const std::string& name);

  // Adds a piece of a file, by its name on the host; an empty piece ends the file. Files that were
  // not requested are dropped. Returns a message when the result is complete, else nothing. Throws
  // Error if the file cannot be written.
  std::string add(const std::string& name, const std::string& bytes);

  // Replaces remote file names in an output line by local ones. Absent for the line that announces
  // the result: add() announces it when it has arrived.
  std::optional<std::string> in_names_of_here(const std::string& line) const;

 private:
  std::string place_of(const std::string& name) const;

  const RunConfig& run_;
  std::map<std::string, std::string> arriving_;  // received so far, by local path
};

}  // namespace lockstep
