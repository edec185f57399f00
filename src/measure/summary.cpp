#include "measure/summary.h"

namespace lockstep {
namespace {

constexpr size_t kFewestForInterval = 3;

void add_times(Summary& summary, Samples times) {
  if (times.size() >= kFewestForInterval) {
    const double images_per_step = summary.images_per_second * mean(times);
    summary.images_per_second_95 = throughput_interval(times, images_per_step);
  }
  summary.block_length = block_length(times);
  summary.median_step = median(times);
  summary.mean_step = mean(times);
  summary.p5_step = quantile(times, 0.05);
  summary.p95_step = quantile(times, 0.95);
  summary.p99_step = quantile(times, 0.99);
  summary.mad_step = median_absolute_deviation(times);
  summary.cv_step = coefficient_of_variation(times);
  summary.fastest_step = quantile(times, 0);
  summary.slowest_step = quantile(times, 1);
}

void add_phases(Summary& summary, std::span<const StepRecord> records) {
  for (const StepRecord& record : records) {
    for (size_t i = 0; i < record.phases.size(); ++i) {
      summary.mean_phases[i] += record.phases[i].count() / static_cast<double>(records.size());
    }
  }
}

}  // namespace

Summary summarize(std::span<const StepRecord> records, double images_per_second) {
  const std::vector<double> times = durations(records);
  Summary summary;
  summary.images_per_second = images_per_second;
  summary.steady_state = find_steady_state(times);
  const bool steady = summary.steady_state.reached();
  const size_t dropped = steady ? static_cast<size_t>(summary.steady_state.dropped_steps) : 0;
  if (!steady) summary.steady_state.dropped_steps = 0;
  summary.steps = static_cast<int>(times.size() - dropped);
  add_times(summary, Samples(times).subspan(dropped));
  add_phases(summary, records.subspan(dropped));
  for (const int step : outliers(times)) summary.outlier_steps.push_back(step + 1);
  return summary;
}

}  // namespace lockstep
