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

Seconds overlap(const TransferRecord& transfer, Seconds from, Seconds to) {
  return std::max(std::min(transfer.end, to) - std::max(transfer.begin, from), Seconds{0});
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
  servers_ = result.facts.servers > 1 && !result.simulated();
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

std::span<const TransferRecord> StepRecords::transfers(int rank, size_t step) const {
  if (!recorded_) return {};
  const size_t count = result_.transfers.size();
  return std::span(result_.ranks[static_cast<size_t>(rank)].transfers).subspan(step * count, count);
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
    const double best = records.best_seconds(names[i]);
    if (exposed <= 0 || best <= 0) continue;
    const double wire = std::min(exposed, best);
    shares.push_back({.transfer = i, .wire = wire, .server = exposed - wire});
  }
  return shares;
}

}  // namespace lockstep
