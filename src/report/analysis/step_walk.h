// step_walk.h: the critical path of one step: who or what the step waited for, at every moment.
//
// With all-reduce, a step ends when its last bucket has come back. Walked back from there: the
// bucket was under way (wire), before that it waited for the buckets before it (queue), before that
// the last rank was still computing its gradients. The time that this rank took longer than the
// typical rank is its lateness. The typical rank is the lower median: of two ranks the faster one.
//
// Without times of transfers (other frameworks) the path follows the rank with the most work of its
// own, and all that it waited is wire. With parameter servers that waiting is split: what a
// transfer takes at the best rate of this launch is wire, the rest is the server.
#pragma once

#include <span>
#include <vector>

#include "report/results/run_result.h"

namespace lockstep {

struct PathSegment {
  int rank = 0;
  PathPart part = PathPart::Compute;
  Seconds begin{}, end{};
  int transfer = -1;  // index in the result; -1: none
};

struct StepWalk {
  std::vector<PathSegment> segments;  // by time, without gaps: from the step's begin to its end
  int late_rank = -1;                 // -1: none
  int last_transfer = -1;             // that the step waited for; -1: unknown
  double seconds(PathPart part) const;
  double late() const { return seconds(PathPart::Late); }
};

// The records of a launch, as the walk needs them. Borrows the result.
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
  bool has_servers() const { return servers_; }
  double best_rate(bool pull) const { return best_rate_[pull ? 1 : 0]; }  // bytes per second

 private:
  void find_best_rates();

  const RunResult& result_;
  std::vector<std::span<const StepRecord>> ranks_;
  bool recorded_ = false, buckets_ = false, servers_ = false;
  double best_rate_[2] = {0, 0};
};

// Whether its steps have one: false for results without phases (external programs, compiled steps
// of frameworks), and for several ranks that do not tell how long they waited for each other.
bool has_path(const RunResult& result);

StepWalk walk_step(const StepRecords& records, size_t step);  // of a result that has_path()

// Of the sorted values the middle one; of an even number the lower of the two. Not empty.
double lower_median(std::vector<double> values);

bool is_pull(const Transfer& transfer);  // from a server

// Time on a server beyond the transfer itself, of the part of a transfer that a step waited for.
struct ServerShare {
  size_t transfer;
  double wire, server;  // seconds
};
std::vector<ServerShare> server_shares(const StepRecords& records, int rank, size_t step);

}  // namespace lockstep
