// sweep_directories.h: the sweeps below some directories, by name, and what has changed since one
// last looked.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/json.h"
#include "web/page_data.h"

namespace lockstep {

struct SweepDirectory {
  // Unique: "runs/tuesday" as seen from the root. It depends on the roots and on where it is, not
  // on what else is there or was written last, so that a page can ask for it again.
  std::string name;
  std::string path;
  std::string version;  // changes when the results do
};

// Directories with a results.jsonl, the root itself included; the one written to last comes first.
// Throws UsageError when a root is no directory.
std::vector<SweepDirectory> find_sweeps(const std::vector<std::string>& roots);

PageSource read_sweep(const SweepDirectory& directory);

struct PageEvent {
  std::string name;  // "names", "changed", "running"
  Json data;
};

// For one reader: what is new since the last call. The first call tells everything.
class SweepNews {
 public:
  explicit SweepNews(std::vector<std::string> roots) : roots_(std::move(roots)) {}
  std::vector<PageEvent> look();

 private:
  std::vector<std::string> roots_;
  std::map<std::string, std::string> versions_;  // by name
  Json names_, running_;
};

}  // namespace lockstep
