#include "web/launches_csv.h"

#include <fmt/format.h>

#include "config/run_label.h"
#include "report/render/csv.h"
#include "report/results/launch_rate.h"

namespace lockstep {
namespace {

// Empty: it was not measured.
std::string number(double value) { return value > 0 ? csv_number(value) : ""; }

std::string count(bool known, int64_t value) { return known ? fmt::to_string(value) : ""; }

constexpr const char* kColumns[] = {"run_id",
                                    "launch",
                                    "started_at",
                                    "model",
                                    "batch_size",
                                    "nodes",
                                    "devices",
                                    "threads",
                                    "engine",
                                    "settings",
                                    "origin",
                                    "images_per_sec",
                                    "communication_efficiency",
                                    "mean_step_ms",
                                    "median_step_ms",
                                    "p5_step_ms",
                                    "p95_step_ms",
                                    "p99_step_ms",
                                    "mad_step_ms",
                                    "cv_step",
                                    "outlier_steps",
                                    "warmup_verdict",
                                    "error"};

std::string line_of(const StoredRun& run, const ScalingReport& report) {
  const RunResult& result = run.result;
  const Summary& summary = result.summary;
  const bool known = run.measured(), steps = summary.steps > 0;
  const std::string cells[] = {
      run.id,
      fmt::to_string(run.repeat + 1),
      result.started_at,
      result.config.model,
      fmt::to_string(result.config.batch_size),
      fmt::to_string(known ? result.facts.nodes : result.config.nodes.value_or(1)),
      fmt::to_string(known ? result.facts.devices : devices_of(result.config)),
      count(known && result.facts.threads > 0, result.facts.threads),
      engine_label(result.config),
      settings_label(result.config, report.differing),
      known           ? (run.control ? "control" : result.origin)
      : run.skipped() ? "skipped"
                      : "failed",
      number(rate_of(result)),
      result.independent ? number(result.independent->communication_efficiency) : "",
      number(1000 * summary.mean_step),
      number(1000 * summary.median_step),
      number(1000 * summary.p5_step),
      number(1000 * summary.p95_step),
      number(1000 * summary.p99_step),
      number(1000 * summary.mad_step),
      number(summary.cv_step),
      count(steps, std::ssize(summary.outlier_steps)),
      steps ? std::string(words_for(summary.steady_state.steadiness)) : "",
      result.error.value_or("")};
  static_assert(std::size(cells) == std::size(kColumns));
  return csv_line(cells);
}

}  // namespace

std::string launches_csv(const ScalingReport& report, std::span<const StoredRun> runs) {
  std::string text = csv_line(std::vector<std::string>(std::begin(kColumns), std::end(kColumns)));
  for (const StoredRun& run : runs) text += line_of(run, report);
  return text;
}

}  // namespace lockstep
