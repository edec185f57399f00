// all_reduce_rules.h: the all-reduce algorithm for each message size.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.h"

namespace lockstep {

struct AllReduceRule {
  int64_t up_to_bytes = std::numeric_limits<int64_t>::max();
  std::string algorithm = "native";
  int shards = 1;  // number of parts that the data is cut into, each with its own root

  bool operator==(const AllReduceRule&) const = default;
};
// The first rule whose limit is not below the size applies; the last has no limit.
using AllReduceRules = std::vector<AllReduceRule>;

std::vector<std::string> problems_in(const AllReduceRules& rules);

// Reduces by the rules and leaves all else to `inner`. Throws UsageError on problems.
std::unique_ptr<Communicator> with_rules(std::unique_ptr<Communicator> inner,
                                         const AllReduceRules& rules);

}  // namespace lockstep
