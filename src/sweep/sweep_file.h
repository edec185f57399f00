// sweep_file.h: reads a sweep from TOML, with the option names of the command line:
//
//   models = ["inception3:16", "alexnet:256"]
//   num-devices = [1, 2, 4]
//   repeats = 5
#pragma once

#include <string>
#include <vector>

namespace lockstep {

struct SweepEntry {
  std::string name;  // with dashes
  std::vector<std::string> values;
  int line = 0;
};

// In the order of the file. Throws UsageError with file and line.
std::vector<SweepEntry> read_sweep_file(const std::string& path);

// The same of the text of a file.
std::vector<SweepEntry> sweep_entries_in(const std::string& text, const std::string& path);

}  // namespace lockstep
