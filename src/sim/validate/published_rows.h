// published_rows.h: published measurements, one per row of a CSV file, as scenarios of a cluster.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/scenario.h"

namespace lockstep {

struct PublishedRow {
  int line = 0;
  std::string source = {}, model = {}, framework = {}, update = {}, data = {}, precision = {};
  std::string cluster = {};  // name of a cluster file
  int batch = 0;             // per device; 0: not stated
  int devices = 1, per_node = 1, nodes = 1, servers = 0;
  std::optional<double> images_per_second = {}, efficiency = {};  // efficiency: as published
};

// Throws UsageError, with the line, for what cannot be read.
std::vector<PublishedRow> read_published(std::string_view text, const std::string& source);

// The rows of data/published.csv, which is part of the program.
std::vector<PublishedRow> own_published_rows();

// The words of the columns update, framework and data, as this program means them. The one-device
// step is left open.
Scenario scenario_of(const PublishedRow& row);

}  // namespace lockstep
