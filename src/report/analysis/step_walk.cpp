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

// A framework may not report a phase: its time is in another one.
Seconds known(const StepRecord& step, Phase phase) {
  const Seconds time = step.phase(phase);
  return std::isnan(time.count()) ? Seconds{0} : time;
}

double own_time(const StepRecord& step) {
  return (step.duration - known(step, Phase::Communication) - known(step, Phase::Input) -
          known(step, Phase::Between))
      .count();
}

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

template <typename Value>
double typical(int ranks, Value value) {
  std::vector<double> values;
  for (int rank = 0; rank < ranks; ++rank) values.push_back(value(rank));
  return lower_median(std::move(values));
}

StepWalk walk_buckets(const StepRecords& records, size_t step) {
  const int ranks = records.ranks();
  const int ends = last_to_end(records, step);
  const auto own = records.transfers(ends, step);
  const auto last =
      static_cast<size_t>(std::ranges::max_element(own, {}, &TransferRecord::end) - own.begin());
  const auto of = [&](int rank) { return records.transfers(rank, step)[last]; };
  const auto computed = [&](int rank) {  // until the last bucket was ready
    const StepRecord& each = records.step(rank, step);
    return (of(rank).ready - each.begin - known(each, Phase::Input)).count();
  };
  const int latest = largest(ranks, [&](int rank) { return of(rank).ready; });
  const int starts = largest(ranks, [&](int rank) { return of(rank).begin; });
  const StepRecord& head = records.step(latest, step);
  const double late = std::max(computed(latest) - typical(ranks, computed), 0.0);

  StepWalk walk;
  walk.last_transfer = static_cast<int>(last);
  Path path(records.result().steps[step], head.begin);
  path.add(latest, PathPart::Input, known(head, Phase::Input));
  path.add(latest, PathPart::Compute, Seconds(computed(latest) - late));
  path.add(latest, PathPart::Late, Seconds(late));
  const Seconds start = of(starts).begin;
  for (size_t before = 0; before < own.size(); ++before) {
    if (before == last || own[before].end <= path.at()) continue;
    path.add_until(ends, PathPart::Queue, std::min(own[before].end, start),
                   static_cast<int>(before));
  }
  path.add_until(ends, PathPart::Queue, start, walk.last_transfer);
  path.add_until(ends, PathPart::Wire, own[last].end, walk.last_transfer);
  const StepRecord& tail = records.step(ends, step);
  const Seconds rest = end_of(tail) - path.at() - known(tail, Phase::Between);
  path.add(ends, PathPart::Compute, std::min(rest, known(tail, Phase::Update)));
  // A prediction has one rank that stands for all, and adds how late the last one would be.
  if (records.result().simulated()) path.add(ends, PathPart::Late, rest);
  walk.segments = std::move(path).finish(ends);
  walk.late_rank = walk.late() > 0 ? latest : -1;
  return walk;
}

// In lockstep the rank with the most work of its own; of ranks that drift apart, the last one.
int rank_to_follow(const StepRecords& records, size_t step) {
  const int last = last_to_end(records, step);
  const int busiest =
      largest(records.ranks(), [&](int rank) { return own_time(records.step(rank, step)); });
  constexpr double kTogether = 0.1;  // of the step
  const Seconds apart = end_of(records.step(last, step)) - end_of(records.step(busiest, step));
  return apart <= kTogether * records.result().steps[step].duration ? busiest : last;
}

StepWalk walk_plain(const StepRecords& records, size_t step) {
  const int rank = rank_to_follow(records, step);
  const StepRecord& each = records.step(rank, step);
  const auto own = [&](int other) { return own_time(records.step(other, step)); };
  const double late = std::max(own(rank) - typical(records.ranks(), own), 0.0);
  double wire = 0, server = 0;
  for (const ServerShare& share : server_shares(records, rank, step)) {
    wire += share.wire;
    server += share.server;
  }
  const double waited = known(each, Phase::Communication).count();
  const double at_server = wire + server > 0 ? waited * server / (wire + server) : 0;

  StepWalk walk;
  Path path(records.result().steps[step], each.begin);
  path.add(rank, PathPart::Input, known(each, Phase::Input));
  path.add(rank, PathPart::Compute, Seconds(own(rank) - late));
  path.add(rank, PathPart::Late, Seconds(late));
  path.add(rank, PathPart::Servers, Seconds(at_server));
  path.add(rank, PathPart::Wire, Seconds(waited - at_server));
  walk.segments = std::move(path).finish(rank);
  walk.late_rank = walk.late() > 0 ? rank : -1;
  return walk;
}

Seconds overlap(const TransferRecord& transfer, Seconds from, Seconds to) {
  return std::max(std::min(transfer.end, to) - std::max(transfer.begin, from), Seconds{0});
}

}  // namespace

double StepWalk::seconds(PathPart part) const {
  double sum = 0;
  for (const PathSegment& each : segments) {
    if (each.part == part) sum += (each.end - each.begin).count();
  }
  return sum;
}

double lower_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

bool has_path(const RunResult& result) {
  const auto computes = [](const StepRecord& step) {
    return step.phase(Phase::Forward) + step.phase(Phase::Backward) > Seconds{0};
  };
  if (std::ranges::none_of(result.steps, computes)) return false;
  return std::ranges::all_of(result.ranks, [&](const RankResult& rank) {
    return rank.steps.size() == result.steps.size() &&
           std::ranges::none_of(rank.steps, [](const StepRecord& step) {
             return std::isnan(step.phase(Phase::Communication).count());
           });
  });
}

bool is_pull(const Transfer& transfer) { return transfer.name.starts_with("pull"); }

StepRecords::StepRecords(const RunResult& result) : result_(result) {
  size_t steps = result.steps.size();
  const size_t fewest = result.simulated() ? 1 : 2;
  bool complete = !result.transfers.empty() && result.ranks.size() >= fewest;
  for (const RankResult& rank : result.ranks) {
    ranks_.emplace_back(rank.steps);
    complete = complete && rank.transfers.size() == steps * result.transfers.size() &&
               rank.steps.size() == steps;
  }
  if (ranks_.empty()) ranks_.emplace_back(result.steps);
  if (!complete) return;
  recorded_ = true;
  servers_ = result.facts.servers > 0 && !result.simulated();
  // Relaxed, the records of a step are those of the step before.
  buckets_ = result.facts.servers == 0 && result.config.variable_consistency != "relaxed";
  if (servers_) find_best_rates();
}

std::span<const TransferRecord> StepRecords::transfers(int rank, size_t step) const {
  if (!recorded_) return {};
  const size_t count = result_.transfers.size();
  return std::span(result_.ranks[static_cast<size_t>(rank)].transfers).subspan(step * count, count);
}

// The best transfer by its median duration: single ones may have found a free buffer.
void StepRecords::find_best_rates() {
  for (size_t i = 0; i < result_.transfers.size(); ++i) {
    std::vector<double> times;
    for (int rank = 0; rank < ranks(); ++rank) {
      for (size_t step = 0; step < steps(); ++step) {
        const TransferRecord& each = transfers(rank, step)[i];
        if (each.end > each.begin) times.push_back((each.end - each.begin).count());
      }
    }
    if (times.empty()) continue;
    double& best = best_rate_[is_pull(result_.transfers[i]) ? 1 : 0];
    best = std::max(best, static_cast<double>(result_.transfers[i].bytes) / median(times));
  }
}

// Workers wait for values before forward, and for their last gradients after backward: for as long
// as the rest of their waiting. A transfer that lies in one of these times was waited for.
std::vector<ServerShare> server_shares(const StepRecords& records, int rank, size_t step) {
  std::vector<ServerShare> shares;
  if (!records.has_servers()) return shares;
  const StepRecord& each = records.step(rank, step);
  const auto all = records.transfers(rank, step);
  const auto& names = records.result().transfers;
  Seconds first_push = Seconds::max();
  for (size_t i = 0; i < all.size(); ++i) {
    if (!is_pull(names[i])) first_push = std::min(first_push, all[i].ready);
  }
  const auto before_forward = [&](size_t i) {
    return is_pull(names[i]) && all[i].ready < first_push;
  };
  const Seconds begin = each.begin + known(each, Phase::Input);
  const Seconds waited = known(each, Phase::Communication);
  Seconds values{begin}, gradients = Seconds::min();  // when the last of them was there
  for (size_t i = 0; i < all.size(); ++i) {
    Seconds& last = before_forward(i) ? values : gradients;
    last = std::max(last, all[i].end);
  }
  values = std::min(values, begin + waited);
  const Seconds after = waited - (values - begin);
  for (size_t i = 0; i < all.size(); ++i) {
    const double exposed = (before_forward(i) ? overlap(all[i], begin, values)
                                              : overlap(all[i], gradients - after, gradients))
                               .count();
    const double rate = records.best_rate(is_pull(names[i]));
    if (exposed <= 0 || rate <= 0) continue;
    const double wire = std::min(exposed, static_cast<double>(names[i].bytes) / rate);
    shares.push_back({.transfer = i, .wire = wire, .server = exposed - wire});
  }
  return shares;
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
