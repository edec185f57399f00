// remote_files.h: the files of a run on other hosts, as they come back.
#pragma once

#include <fstream>
#include <map>
#include <string>

#include "config/run_config.h"

namespace lockstep {

class RemoteFiles {
 public:
  explicit RemoteFiles(const RunConfig& run) : run_(run) {}

  // The same options, with all files inside the directory that the run has there. Throws UsageError
  // when one that stays there would be lost with that directory.
  static RunConfig remote(const RunConfig& run);

  // Whether a file of that directory is one that a launcher may have asked for.
  static bool comes_back(const std::string& name);

  // A piece of a file, by its name there. One that nobody asked for is dropped.
  void add(const std::string& name, const std::string& bytes);

 private:
  std::string place_of(const std::string& name) const;

  const RunConfig& run_;
  std::map<std::string, std::ofstream> open_;  // by place
};

}  // namespace lockstep
