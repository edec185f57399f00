// all_reduce_tuning.h: chooses the fastest algorithm for each size from measured times.
#pragma once

#include <string>
#include <vector>

#include "comm/all_reduce_rules.h"

namespace lockstep {

// One size, and what each algorithm took for it; the algorithms are the same for all sizes.
struct AlgorithmTimes {
  int64_t bytes = 0;
  std::vector<double> seconds;  // by algorithm
};

// The fastest algorithm of one size, and how far ahead it is.
struct SizeWinner {
  int64_t bytes = 0;
  std::string fastest, second = {};  // no second: there is one algorithm
  double lead = 1;                   // seconds of the second / seconds of the fastest
};
std::vector<SizeWinner> winners_by_size(const std::vector<std::string>& algorithms,
                                        const std::vector<AlgorithmTimes>& measured);

// The fastest algorithm of each size, up to that size. Where the one of the size before is nearly
// as fast it stays: a difference that another measurement may turn round is not worth a rule.
// `measured` has ascending sizes and is not empty.
AllReduceRules fastest_rules(const std::vector<std::string>& algorithms,
                             const std::vector<AlgorithmTimes>& measured);

}  // namespace lockstep
