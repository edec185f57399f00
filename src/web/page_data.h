// page_data.h: the data of the page as JSON, for one or several directories. All numbers are
// computed here; the page only draws them. docs/reports.md lists the keys.
#pragma once

#include <string>
#include <vector>

#include "config/json_fwd.h"
#include "report/analysis/details.h"

namespace lockstep {

struct PageSource {
  std::string name;  // shown on the page
  RunCollection collection;
  std::vector<std::string> skipped = {};  // notes about lines that could not be read
};

// One set: runs that are compared with each other. `report` and `details` are of the source.
Json page_set(const PageSource& source, const ScalingReport& report, const FoundDetails& details);
Json page_set(const PageSource& source);  // computes them

// For the key "baseline" of a set: how its runs compare with older ones.
Json baseline_json(const std::string& name, const BaselineReport& report);

Json published_layer();

}  // namespace lockstep
