// sweep_directories.h: finds the sweeps below some directories, and reports changes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/json.h"
#include "web/page_data.h"

namespace lockstep {

struct SweepDirectory {
  // Unique path relative to the root: "runs/tuesday". It depends only on the roots and the path, so
  // that a page can request the sweep again.
  std::string name;
  std::string path;
  std::string version;  // changes when the results do
};

// Directories with a results.jsonl, the root itself included; the one written to last comes first.
// Throws UsageError if a root is not a directory.
std::vector<SweepDirectory> find_sweeps(const std::vector<std::string>& roots);

PageSource read_sweep(const SweepDirectory& directory);

struct PageEvent {
  std::string name;  // "names", "changed", "running"
  Json data;
};

// Changes since the last call. The first call returns everything.
class SweepNews {
 public:
  explicit SweepNews(std::vector<std::string> roots) : roots_(std::move(roots)) {}
  std::vector<PageEvent> look();
  std::vector<PageEvent> everything() const;  // as of the last look, for a new reader

 private:
  std::vector<std::string> roots_;
  std::map<std::string, std::string> versions_;  // by name
  Json names_, running_;
};

}  // namespace lockstep
