// remote_files.h: the files of a run on other hosts, as they come back: whole, or not at all.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "config/run_config.h"

namespace lockstep {

class RemoteFiles {
 public:
  explicit RemoteFiles(const RunConfig& run) : run_(run) {}

  // The same options, with all files inside the directory that the run has there. Throws UsageError
  // when one that is there before, or stays there, would have to lie in that directory.
  static RunConfig remote(const RunConfig& run);

  // Whether a file of that directory is one that a launcher may have asked for.
  static bool comes_back(const std::string& name);

  // A piece of a file, by its name there; an empty one ends it. One that nobody asked for is
  // dropped. Returns what the user is to be told: that the result is here now; mostly nothing.
  // Throws Error when it cannot be written.
  std::string add(const std::string& name, const std::string& bytes);

  // What a process there says of its files, with the names that they have here. Absent: that the
  // result was written is told when it is here, and not before.
  std::optional<std::string> in_names_of_here(const std::string& line) const;

 private:
  std::string place_of(const std::string& name) const;

  const RunConfig& run_;
  std::map<std::string, std::string> arriving_;  // what has come so far, by place
};

}  // namespace lockstep
