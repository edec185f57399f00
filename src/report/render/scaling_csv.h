// scaling_csv.h: throughput by number of devices in the CSV format of existing scripts:
// csv_<engine>/<model>_b<batch>.csv with lines `devices,images_per_sec` and no header, and
// .csv.ideal with ideal scaling from the first line.
#pragma once

#include <string>
#include <vector>

#include "report/analysis/scaling.h"

namespace lockstep {

struct ReportFile {
  std::string path;  // within the directory of the report
  std::string text;
};

// If several configurations share a file, it has the fastest at each number of devices.
std::vector<ReportFile> scaling_csv(const ScalingReport& report);

}  // namespace lockstep
