// scaling_csv.h: throughput by number of devices in small files that scripts have read for years:
// csv_<engine>/<model>_b<batch>.csv with lines `devices,images_per_sec` and no header, and beside
// it .csv.ideal with what perfect scaling from the first line would give.
#pragma once

#include <string>
#include <vector>

#include "report/analysis/scaling.h"

namespace lockstep {

struct ReportFile {
  std::string path;  // within the directory of the report
  std::string text;
};

// Where several configurations share a file, the fastest at each number of devices counts.
std::vector<ReportFile> scaling_csv(const ScalingReport& report);

}  // namespace lockstep
