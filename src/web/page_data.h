// page_data.h: what a page shows of one or several directories, as JSON: all numbers are worked out
// here, the page only draws them. docs/reports.md lists the keys.
#pragma once

#include <string>
#include <vector>

#include "config/json_fwd.h"
#include "report/analysis/details.h"

namespace lockstep {

struct PageSource {
  std::string name;  // as the page calls it
  RunCollection collection;
  std::vector<std::string> skipped = {};  // lines that could not be read, in words
};

// One set: runs that are compared with each other. `report` and `details` are of the source.
Json page_set(const PageSource& source, const ScalingReport& report, const FoundDetails& details);
Json page_set(const PageSource& source);  // works them out

// For the key "baseline" of a set: how its runs compare with older ones.
Json baseline_json(const std::string& name, const BaselineReport& report);

Json published_layer();

}  // namespace lockstep
