#include "report/analysis/step_records.h"

#include <algorithm>
#include <cmath>

#include "measure/statistics.h"

namespace lockstep {
namespace {

// Forward, backward and update, and whatever else is not waiting.
double own_time_of(const StepRecord& step) {
  return (step.duration - known(step, Phase::Communication) - known(step, Phase::Input) -
          known(step, Phase::Between))
      .count();
}

struct Period {
  Seconds begin, end;
};

double overlap(const Period& one, const Period& other) {
  return std::max(std::min(one.end, other.end) - std::max(one.begin, other.begin), Seconds{0})
      .count();
}

// When a transfer was in its server's queue: it waited for other workers before, and was sent
// after.
Period queue_of(const TransferRecord& transfer) {
  if (!transfer.hold) return {transfer.end, transfer.end};
  const Seconds begin = transfer.begin + transfer.hold->waited;
  return {begin, std::min(begin + transfer.hold->queued, transfer.end)};
}

// Of the part of a transfer that lies in `waited_for`.
ServerShare share_of(const StepRecords& records, size_t index, const TransferRecord& transfer,
                     const Period& waited_for) {
  const double exposed = overlap({transfer.begin, transfer.end}, waited_for);
  if (records.servers_measure()) {
    const double queued = overlap(queue_of(transfer), waited_for);
    return {.transfer = index, .wire = exposed - queued, .server = queued};
  }
  const double best = records.best_seconds(records.result().transfers[index]);
  const double wire = std::min(exposed, best), server = best > 0 ? exposed - wire : 0;
  return {.transfer = index, .wire = wire, .server = server};
}

}  // namespace

Seconds known(const StepRecord& step, Phase phase) {
  const Seconds time = step.phase(phase);
  return std::isnan(time.count()) ? Seconds{0} : time;
}

double lower_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

bool has_path(const RunResult& result) {
  if (result.config.graph) return false;  // forward holds the whole step
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
  typical_own_time_ = typical([&](int rank, size_t step) { return own_time(rank, step); });
  if (!complete) return;
  recorded_ = true;
  measured_ = any_hold();
  servers_ = result.facts.servers > 1 && !result.simulated() && !measured_;
  // Relaxed, the records of a step are those of the step before.
  buckets_ = result.facts.servers == 0 && result.config.variable_consistency != "relaxed";
  if (servers_) find_best_transfers();
  if (!buckets_) return;
  typical_update_ = typical([&](int rank, size_t step) { return update_after(rank, step); });
  for (size_t bucket = 0; bucket < result.transfers.size(); ++bucket) {
    typical_until_.push_back(
        typical([&](int rank, size_t step) { return computed_until(bucket, rank, step); }));
  }
}

// Steps without the value do not count.
template <typename Value>
double StepRecords::typical(Value value) const {
  std::vector<double> means;
  for (int rank = 0; rank < ranks(); ++rank) {
    double sum = 0, count = 0;
    for (size_t step = 0; step < ranks_[static_cast<size_t>(rank)].size(); ++step) {
      const double each = value(rank, step);
      if (std::isnan(each)) continue;
      sum += each;
      ++count;
    }
    if (count > 0) means.push_back(sum / count);
  }
  return means.empty() ? 0 : lower_median(std::move(means));
}

double StepRecords::own_time(int rank, size_t step) const {
  return own_time_of(this->step(rank, step));
}

double StepRecords::computed_until(size_t bucket, int rank, size_t step) const {
  const TransferRecord& transfer = transfers(rank, step)[bucket];
  if (transfer.end <= Seconds{0}) return std::nan("");
  const StepRecord& each = this->step(rank, step);
  return (transfer.ready - each.begin - known(each, Phase::Input)).count();
}

double StepRecords::update_after(int rank, size_t step) const {
  const auto all = transfers(rank, step);
  const Seconds back = std::ranges::max_element(all, {}, &TransferRecord::end)->end;
  if (back <= Seconds{0}) return std::nan("");
  const StepRecord& each = this->step(rank, step);
  const Seconds rest = each.begin + each.duration - known(each, Phase::Between) - back;
  return std::clamp(rest, Seconds{0}, known(each, Phase::Update)).count();
}

Seconds StepRecords::computed_beside(size_t bucket, int rank, size_t step) const {
  if (result_.simulated()) return Seconds{0};
  const TransferRecord& transfer = transfers(rank, step)[bucket];
  const Seconds waited = known(this->step(rank, step), Phase::Communication);
  return std::max(transfer.end - transfer.ready - waited, Seconds{0});
}

std::span<const TransferRecord> StepRecords::transfers(int rank, size_t step) const {
  if (!recorded_) return {};
  const size_t count = result_.transfers.size();
  return std::span(result_.ranks[static_cast<size_t>(rank)].transfers).subspan(step * count, count);
}

bool StepRecords::any_hold() const {
  return std::ranges::any_of(result_.ranks, [](const RankResult& rank) {
    return std::ranges::any_of(rank.transfers,
                               [](const TransferRecord& each) { return each.hold.has_value(); });
  });
}

// The best transfers by their median durations: single ones may have found a free buffer. Small
// ones are bound by latency.
void StepRecords::find_best_transfers() {
  for (size_t i = 0; i < result_.transfers.size(); ++i) {
    std::vector<double> times;
    for (int rank = 0; rank < ranks(); ++rank) {
      for (size_t step = 0; step < steps(); ++step) {
        const TransferRecord& each = transfers(rank, step)[i];
        if (each.end > each.begin) times.push_back((each.end - each.begin).count());
      }
    }
    if (times.empty()) continue;
    const double takes = median(times);
    Best& best = is_pull(result_.transfers[i]) ? pull_ : push_;
    best.latency = best.latency > 0 ? std::min(best.latency, takes) : takes;
    best.bytes_per_second =
        std::max(best.bytes_per_second, static_cast<double>(result_.transfers[i].bytes) / takes);
  }
}

double StepRecords::best_seconds(const Transfer& transfer) const {
  const Best& best = is_pull(transfer) ? pull_ : push_;
  if (!(best.bytes_per_second > 0)) return best.latency;
  return std::max(best.latency, static_cast<double>(transfer.bytes) / best.bytes_per_second);
}

// Workers wait for values before forward, and for their last gradients after backward: for as long
// as the rest of their waiting. A transfer that lies in one of these times was waited for.
ServerWaits server_waits(const StepRecords& records, int rank, size_t step) {
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
  const Seconds ready = each.begin + known(each, Phase::Input);
  const Seconds waited = known(each, Phase::Communication);
  Seconds values{ready}, gradients = Seconds::min();  // when the last of them was there
  for (size_t i = 0; i < all.size(); ++i) {
    Seconds& last = before_forward(i) ? values : gradients;
    last = std::max(last, all[i].end);
  }
  values = std::min(values, ready + waited);
  const Seconds begin = std::clamp(records.result().steps[step].begin, ready, values);
  ServerWaits waits = {.values = values - ready, .lead = begin - ready, .shares = {}};
  if (!records.has_servers()) return waits;
  const Seconds after = waited - (values - ready);
  for (size_t i = 0; i < all.size(); ++i) {
    const Period waited_for =
        before_forward(i) ? Period{begin, values} : Period{gradients - after, gradients};
    const ServerShare share = share_of(records, i, all[i], waited_for);
    if (share.wire + share.server > 0) waits.shares.push_back(share);
  }
  return waits;
}

}  // namespace lockstep
