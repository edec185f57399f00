// algorithms.h: all-reduce by messages, over any communicator's exchange().
//
// Each sums in an order that depends on the number of ranks and the root alone, and every part of
// the result is computed by one rank and handed to the others: the bits are equal everywhere.
#pragma once

#include <span>
#include <string_view>

#include "comm/communicator.h"

namespace lockstep {

struct AllReduceCall {
  Communicator& comm;
  std::span<float> data;
  std::span<float> scratch;  // as large as the data
  int root = 0;              // where the sums begin or end up: spreads several calls over the ranks
};

struct AllReduceAlgorithm {
  std::string_view name;
  std::string_view help;
  void (*run)(const AllReduceCall& call);
};

std::span<const AllReduceAlgorithm> all_reduce_algorithms();
const AllReduceAlgorithm& find_all_reduce_algorithm(std::string_view name);  // throws UsageError

}  // namespace lockstep
