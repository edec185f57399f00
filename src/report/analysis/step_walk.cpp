#include "report/analysis/step_walk.h"

#include <algorithm>
#include <cmath>

#include "measure/statistics.h"

namespace lockstep {
namespace {

// Appends pieces one behind the other; what lies outside the step is cut off.
class Path {
 public:
  Path(const StepRecord& step, Seconds start)
      : begin_(step.begin), end_(step.begin + step.duration), at_(start) {}

  void add(int rank, PathPart part, Seconds length, int transfer = -1) {
    const Seconds from = std::clamp(at_, begin_, end_);
    at_ += std::max(length, Seconds{0});
    const Seconds to = std::clamp(at_, begin_, end_);
    if (to > from) segments_.push_back({rank, part, from, to, transfer});
  }
  void add_until(int rank, PathPart part, Seconds until, int transfer = -1) {
    add(rank, part, until - at_, transfer);
  }
  Seconds at() const { return at_; }

  // Whatever is not covered lies between the steps.
  std::vector<PathSegment> finish(int rank) && {
    if (segments_.empty() || segments_.front().begin > begin_) {
      const Seconds until = segments_.empty() ? end_ : segments_.front().begin;
      if (until > begin_) {
        segments_.insert(segments_.begin(), {rank, PathPart::Between, begin_, until});
      }
    }
    if (segments_.empty() || segments_.back().end < end_) {
      const Seconds from = segments_.empty() ? begin_ : segments_.back().end;
      segments_.push_back({rank, PathPart::Between, from, end_});
    }
    return std::move(segments_);
  }

 private:
  Seconds begin_, end_, at_;
  std::vector<PathSegment> segments_;
};

Seconds end_of(const StepRecord& step) { return step.begin + step.duration; }

template <typename Value>
int largest(int ranks, Value value) {
  int found = 0;
  for (int rank = 1; rank < ranks; ++rank) {
    if (value(rank) > value(found)) found = rank;
  }
  return found;
}

int last_to_end(const StepRecords& records, size_t step) {
  return largest(records.ranks(), [&](int rank) { return end_of(records.step(rank, step)); });
}

void add_late(StepWalk& walk, int rank, double seconds) {
  if (seconds <= 0) return;
  const auto found = std::ranges::find(walk.late, rank, &LateTime::rank);
  if (found == walk.late.end()) {
    walk.late.push_back({rank, seconds});
  } else {
    found->seconds += seconds;
  }
}

// All ranks that took longer than the typical rank, and than that of this step: a slowdown of all
// makes nobody late. `most`: by how much the last one was late on the path, which no other exceeds.
template <typename Value>
void add_late_ranks(StepWalk& walk, int ranks, double typical, double most, Value value) {
  if (most <= 0) return;
  std::vector<double> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(value(rank));
  const double usual = std::max(typical, lower_median(all));
  for (int rank = 0; rank < ranks; ++rank) {
    add_late(walk, rank, std::min(all[static_cast<size_t>(rank)] - usual, most));
  }
}

// Compute of the typical rank, then what `rank` took longer. A rank that is faster in this step
// makes up for lateness in another: `walk.ahead`.
void add_compute(Path& path, StepWalk& walk, int rank, double typical, double late) {
  walk.ahead += std::max(-late, 0.0);
  path.add(rank, PathPart::Compute, Seconds(typical + std::min(late, 0.0)));
  path.add(rank, PathPart::Late, Seconds(late));
}

// One bucket of a step: the rank that was ready last, and the one that began it last.
struct Bucket {
  size_t index;
  int latest, starts;
  Seconds ready, start;
};

Bucket bucket_of(const StepRecords& records, size_t step, size_t index) {
  const auto of = [&](int rank) { return records.transfers(rank, step)[index]; };
  const int latest = largest(records.ranks(), [&](int rank) { return of(rank).ready; });
  const int starts = largest(records.ranks(), [&](int rank) { return of(rank).begin; });
  return {index, latest, starts, of(latest).ready, of(starts).begin};
}

// Back from a bucket that waited for the one before it, to the first that was not kept waiting.
Bucket head_of_queue(const StepRecords& records, size_t step, Bucket bucket) {
  for (size_t most = records.result().transfers.size(); most > 0; --most) {
    const auto own = records.transfers(bucket.starts, step);
    const TransferRecord* before = nullptr;
    for (const TransferRecord& each : own) {
      const bool over = each.begin < bucket.start && each.end <= bucket.start;
      if (over && (!before || each.end > before->end)) before = &each;
    }
    if (!before || before->end <= bucket.ready) break;
    bucket = bucket_of(records, step, static_cast<size_t>(before - own.data()));
  }
  return bucket;
}

void add_update(Path& path, StepWalk& walk, const StepRecords& records, size_t step, int rank) {
  const double late = records.update_after(rank, step) - records.typical_update();
  add_compute(path, walk, rank, records.typical_update(), late);
  add_late_ranks(walk, records.ranks(), records.typical_update(), late,
                 [&](int each) { return records.update_after(each, step); });
  if (!records.result().simulated()) return;
  // A prediction has one rank that stands for all, and adds how late the last one would be.
  const StepRecord& each = records.step(rank, step);
  path.add_until(rank, PathPart::Late, end_of(each) - known(each, Phase::Between));
}

StepWalk walk_buckets(const StepRecords& records, size_t step) {
  const StepRecord& all = records.result().steps[step];
  const int ends = last_to_end(records, step);
  const auto own = records.transfers(ends, step);
  const auto last_index =
      static_cast<size_t>(std::ranges::max_element(own, {}, &TransferRecord::end) - own.begin());
  const Bucket last = bucket_of(records, step, last_index);
  const Bucket head = head_of_queue(records, step, last);
  const StepRecord& first = records.step(head.latest, step);
  // What the rank did before, the step before waited for.
  const Seconds computes = std::max(first.begin, all.begin) + known(first, Phase::Input);
  const double typical = records.typical_until(last.index);
  const double late = std::min((head.ready - computes).count() - records.typical_until(head.index),
                               (last.start - computes).count() - typical);

  StepWalk walk;
  walk.last_transfer = static_cast<int>(last.index);
  walk.head_transfer = static_cast<int>(head.index);
  Path path(all, computes - known(first, Phase::Input));
  path.add(head.latest, PathPart::Input, known(first, Phase::Input));
  add_compute(path, walk, head.latest, typical, late);
  add_late_ranks(walk, records.ranks(), records.typical_until(head.index), late,
                 [&](int rank) { return records.computed_until(head.index, rank, step); });
  const Seconds hidden = records.computed_beside(last.index, last.latest, step);
  path.add(last.latest, PathPart::Compute, std::min(hidden, own[last.index].end - path.at()));
  for (size_t before = 0; before < own.size(); ++before) {
    if (before == last.index || own[before].end <= path.at()) continue;
    path.add_until(ends, PathPart::Queue, std::min(own[before].end, last.start),
                   static_cast<int>(before));
  }
  path.add_until(ends, PathPart::Queue, last.start, walk.last_transfer);
  path.add_until(ends, PathPart::Wire, own[last.index].end, walk.last_transfer);
  add_update(path, walk, records, step, ends);
  walk.segments = std::move(path).finish(ends);
  return walk;
}

// In lockstep the rank with the most input and work of its own; of ranks that drift apart, the last
// one. Workers that wait for values before forward do not end together: there it is the last, too.
int rank_to_follow(const StepRecords& records, size_t step) {
  const int last = last_to_end(records, step);
  const int busiest = largest(records.ranks(), [&](int rank) {
    return records.own_time(rank, step) + known(records.step(rank, step), Phase::Input).count();
  });
  // Of the step.
  const double together = server_waits(records, last, step).values > Seconds{0} ? 0.01 : 0.1;
  const Seconds apart = end_of(records.step(last, step)) - end_of(records.step(busiest, step));
  return apart <= together * records.result().steps[step].duration ? busiest : last;
}

StepWalk walk_plain(const StepRecords& records, size_t step) {
  const int rank = rank_to_follow(records, step);
  const StepRecord& each = records.step(rank, step);
  const auto own = [&](int other) { return records.own_time(other, step); };
  const double late = own(rank) - records.typical_own_time();
  double wire = 0, server = 0;
  const ServerWaits waits = server_waits(records, rank, step);
  for (const ServerShare& share : waits.shares) {
    wire += share.wire;
    server += share.server;
  }
  const double waited = (known(each, Phase::Communication) - waits.lead).count();
  double at_server = std::min(server, waited);
  if (!records.servers_measure()) {
    at_server = wire + server > 0 ? waited * server / (wire + server) : 0;
  }

  StepWalk walk;
  // Of the input and the waiting before the step's begin nothing is on its path.
  Path path(records.result().steps[step], each.begin + waits.lead);
  path.add(rank, PathPart::Input, known(each, Phase::Input));
  add_compute(path, walk, rank, records.typical_own_time(), late);
  add_late_ranks(walk, records.ranks(), records.typical_own_time(), late, own);
  path.add(rank, PathPart::Servers, Seconds(at_server));
  path.add(rank, PathPart::Wire, Seconds(waited - at_server));
  walk.segments = std::move(path).finish(rank);
  return walk;
}

}  // namespace

double StepWalk::seconds(PathPart part) const {
  double sum = 0;
  for (const PathSegment& each : segments) {
    if (each.part == part) sum += (each.end - each.begin).count();
  }
  return sum;
}

StepWalk walk_step(const StepRecords& records, size_t step) {
  const auto recorded = [](const TransferRecord& each) { return each.end > Seconds{0}; };
  bool buckets = records.has_buckets();
  for (int rank = 0; buckets && rank < records.ranks(); ++rank) {
    buckets = std::ranges::all_of(records.transfers(rank, step), recorded);
  }
  return buckets ? walk_buckets(records, step) : walk_plain(records, step);
}

}  // namespace lockstep
