// epoch_order.h: the order of examples for every rank and epoch.
//
// All ranks share one order, which has every example once per epoch. Rank r of n takes the places
// r, r + n, r + 2n, ..., across epochs. So the ranks together see each example once per epoch for
// any n, and the number of places taken is the only state of training. The order depends only on
// seed and epoch.
//
// Shuffling keeps examples of a file close together: files (groups) are put in random order, and
// examples are shuffled among the groups of a window. This is random enough for training, and only
// a few files are read at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

struct OrderOptions {
  int64_t examples = 0;
  std::vector<int64_t> group_begins = {};  // empty: one group
  int rank = 0, ranks = 1;
  uint64_t seed = 0;
  bool shuffled = true;  // else as stored
};

struct Turn {
  int64_t place = 0;  // in the order of all epochs and ranks
  int64_t epoch = 0;
  int64_t example = 0;
};

// The order of one epoch, the same on all ranks.
std::vector<int64_t> order_of_epoch(const OrderOptions& options, int64_t epoch);

class EpochOrder {
 public:
  // `taken`: places that all ranks together have taken before, however many ranks there were.
  explicit EpochOrder(OrderOptions options, int64_t taken = 0);

  Turn next();  // this rank's next example

 private:
  OrderOptions options_;
  int64_t place_;
  int64_t epoch_ = -1;
  std::vector<int64_t> order_;  // of epoch_
};

}  // namespace lockstep
