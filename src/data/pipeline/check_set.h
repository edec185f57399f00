// check_set.h: checks every example of a data set: checksums, decoding, labels, balance.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "data/formats/example_source.h"
#include "data/formats/missing_shards.h"

namespace lockstep {

struct CheckReport {
  std::string format, data_name;
  int64_t examples = 0, bytes = 0;
  int64_t damaged = 0;                    // cannot be read or decoded
  std::vector<std::string> damage_lines;  // of the first few
  std::map<int64_t, int64_t> labels;      // how often each
  int groups = 0;                         // files, or 1
  int64_t smallest_group = 0, largest_group = 0;
  int most_height = 0, most_width = 0;
  MissingShards missing = {};
};

struct CheckRequest {
  std::filesystem::path directory;
  Split split = Split::Training;
  int threads = 1;
};

// `progress(done, all)` is called from any thread, one at a time. Damage is reported, not thrown.
// Throws Error only if there is no data set.
CheckReport check_data_set(const CheckRequest& request,
                           const std::function<void(int64_t done, int64_t all)>& progress);

}  // namespace lockstep
