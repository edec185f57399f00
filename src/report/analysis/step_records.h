// step_records.h: the records of a launch as the critical path needs them, with what is typical.
//
// The typical rank is the lower median over the ranks of their means over all steps. Within one
// step it would be the luckier rank of two, and chance would count twice: as lateness, and as
// faster compute.
#pragma once

#include <span>
#include <vector>

#include "report/results/run_result.h"

namespace lockstep {

// Borrows the result.
class StepRecords {
 public:
  explicit StepRecords(const RunResult& result);

  size_t steps() const { return result_.steps.size(); }
  int ranks() const { return static_cast<int>(ranks_.size()); }
  const StepRecord& step(int rank, size_t step) const {
    return ranks_[static_cast<size_t>(rank)][step];
  }
  // Of one step; empty: not known.
  std::span<const TransferRecord> transfers(int rank, size_t step) const;
  const RunResult& result() const { return result_; }
  bool has_buckets() const { return buckets_; }
  // Whose time can be told from the wire: they measure it, or there are several.
  bool has_servers() const { return measured_ || servers_; }
  bool servers_measure() const { return measured_; }
  // With several servers that do not measure: how long the bytes take if no server keeps them
  // waiting; 0: not known.
  double best_seconds(const Transfer& transfer) const;

  // Seconds of one step: forward, backward and update; until a bucket was ready, without input;
  // from the last bucket's return to the next step, as far as the rank updates.
  double own_time(int rank, size_t step) const;
  double computed_until(size_t bucket, int rank, size_t step) const;
  double update_after(int rank, size_t step) const;
  // While a bucket was ready and had not come back: what the rank did not wait. Updates of the
  // buckets before it, which hide a part of the transfer.
  Seconds computed_beside(size_t bucket, int rank, size_t step) const;
  // The same of the typical rank.
  double typical_own_time() const { return typical_own_time_; }
  double typical_until(size_t bucket) const { return typical_until_[bucket]; }
  double typical_update() const { return typical_update_; }

 private:
  bool any_hold() const;
  void find_best_transfers();
  template <typename Value>
  double typical(Value value) const;

  const RunResult& result_;
  std::vector<std::span<const StepRecord>> ranks_;
  bool recorded_ = false, buckets_ = false, servers_ = false, measured_ = false;
  struct Best {
    double bytes_per_second = 0, latency = 0;
  };
  Best push_, pull_;
  double typical_own_time_ = 0, typical_update_ = 0;
  std::vector<double> typical_until_;  // of each bucket
};

// Whether its steps have a path: false for results without phases (external programs, compiled
// steps of frameworks, --graph), and for several ranks that do not tell how long they waited for
// each other.
bool has_path(const RunResult& result);

// Zero if it is not known: a framework may not report a phase, its time is in another one.
Seconds known(const StepRecord& step, Phase phase);

// Of the sorted values the middle one; of an even number the lower of the two. Not empty.
double lower_median(std::vector<double> values);

bool is_pull(const Transfer& transfer);  // from a server

// Time in a server's queue, of the part of a transfer that a step waited for: as the server
// measured it, else what is beyond the transfer itself.
struct ServerShare {
  size_t transfer;
  double wire, server;  // seconds
};
// What a worker waits for with parameter servers.
struct ServerWaits {
  Seconds values{};  // before forward
  // Of it, while other ranks are still in the step before: it waits for the late one.
  Seconds lead{};
  std::vector<ServerShare> shares;  // of the rest; none if has_servers() is false
};
ServerWaits server_waits(const StepRecords& records, int rank, size_t step);

}  // namespace lockstep
