// all_reduce_spec.h: parses and prints --all-reduce-spec.
//
//   spec  = range { ":" limit ":" range }     limit = elements, with k, K, M, G or T (powers of
//   1024) range = name [ "#" shards ]
//
// "pscpu:32k:xring" uses a tree up to 32768 elements and a ring beyond. A name "a/b" means a inside
// each host and b between hosts. Names of algorithms work as well as the names that
// tf_cnn_benchmarks uses.
#pragma once

#include <string>

#include "comm/all_reduce_rules.h"

namespace lockstep {

struct AllReduceSpec {
  AllReduceRules rules;
  bool per_host = false;  // a range has the form a/b: the rules apply between hosts
};

AllReduceSpec parse_all_reduce_spec(const std::string& text);  // throws UsageError

// The rules as such a text: limits round down to whole elements.
std::string spec_text(const AllReduceRules& rules);

}  // namespace lockstep
