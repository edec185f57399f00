#include "report/analysis/step_times.h"

#include <array>
#include <iterator>
#include <vector>

#include "measure/statistics.h"

namespace lockstep {
namespace {

struct Column {
  double StepTimes::*to;
  double Summary::*from;
};
constexpr Column kColumns[] = {
    {&StepTimes::median, &Summary::median_step}, {&StepTimes::p5, &Summary::p5_step},
    {&StepTimes::p95, &Summary::p95_step},       {&StepTimes::p99, &Summary::p99_step},
    {&StepTimes::mad, &Summary::mad_step},       {&StepTimes::cv, &Summary::cv_step},
};

}  // namespace

std::optional<StepTimes> step_times_of(std::span<const size_t> launches,
                                       std::span<const StoredRun> runs) {
  StepTimes times;
  std::array<std::vector<double>, std::size(kColumns)> values;
  for (const size_t place : launches) {
    const Summary& summary = runs[place].result.summary;
    if (summary.steps == 0) continue;
    times.steps += summary.steps;
    times.outliers += std::ssize(summary.outlier_steps);
    for (size_t i = 0; i < values.size(); ++i) values[i].push_back(summary.*kColumns[i].from);
  }
  if (times.steps == 0) return {};
  for (size_t i = 0; i < values.size(); ++i) times.*kColumns[i].to = median(values[i]);
  return times;
}

}  // namespace lockstep
