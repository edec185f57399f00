// published_rows.h: published measurements, one per row of a CSV file, as scenarios of a cluster.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/scenario.h"

namespace lockstep {

inline constexpr int kUnstatedBatch = 64;  // the most common in published tables

struct PublishedRow {
  std::string file = {};
  int line = 0;
  std::string source = {}, model = {}, framework = {}, update = {}, data = {}, precision = {};
  std::string cluster = {};  // name of a cluster file
  int batch = 0;             // per device; 0: not stated, see images()
  int devices = 1;
  int per_node = 0, nodes = 0;  // 0: not stated, as many as the cluster has
  int servers = 0;
  int base_devices = 0;  // of what `efficiency` is a part; 0: not stated
  std::optional<double> images_per_second = {}, efficiency = {};  // efficiency: as published
  std::optional<double> step_ms = {};                             // stands in for images_per_second
  std::string problem = {};                                       // why it is not to be predicted

  // What its devices do: rows of the same work differ in how many do it, and how they agree.
  std::string work() const;

  std::string heading() const { return source.empty() ? cluster : source + ": " + cluster; }

  int images() const { return batch > 0 ? batch : kUnstatedBatch; }  // of a device and step

  void set_per_node(int most) {
    per_node = std::min(most, devices);
    nodes = (devices + per_node - 1) / per_node;
  }
};

// A row that cannot be read has a problem. Throws UsageError, with the line, for a file that is not
// CSV.
std::vector<PublishedRow> read_published(std::string_view text, const std::string& source);

// The rows of data/published.csv, which is part of the program.
std::vector<PublishedRow> own_published_rows();

// The words of the columns update, framework and data, as this program means them. The one-device
// step is left open. Throws UsageError for an update that it does not know.
Scenario scenario_of(const PublishedRow& row);

}  // namespace lockstep
