#include "web/launches_csv.h"

#include <fmt/format.h>

#include <cmath>

#include "config/run_label.h"
#include "report/results/launch_rate.h"

namespace lockstep {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char letter : text) result += letter == '"' ? "\"\"" : std::string(1, letter);
  return result + "\"";
}

// Empty: it was not measured.
std::string number(double value) {
  return std::isfinite(value) && value > 0 ? fmt::format("{:.6g}", value) : "";
}

std::string line_of(const StoredRun& run, const ScalingReport& report) {
  const RunResult& result = run.result;
  const Summary& summary = result.summary;
  const int asked = result.config.num_devices * result.config.nodes.value_or(1);
  const int devices = run.measured() ? result.facts.devices : asked;
  const bool steps = summary.steps > 0;
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", run.id, run.repeat,
      quoted(result.started_at), quoted(result.config.model), result.config.batch_size, devices,
      quoted(engine_label(result.config)), quoted(settings_label(result.config, report.differing)),
      run.measured() ? result.origin : "failed", number(rate_of(result)),
      number(1000 * summary.mean_step), number(1000 * summary.median_step),
      number(1000 * summary.p5_step), number(1000 * summary.p95_step),
      number(1000 * summary.p99_step), number(1000 * summary.mad_step), number(summary.cv_step),
      steps ? fmt::to_string(summary.outlier_steps.size()) : "",
      steps ? quoted(std::string(words_for(summary.steady_state.steadiness))) : "",
      quoted(result.error.value_or("")));
}

}  // namespace

std::string launches_csv(const ScalingReport& report, std::span<const StoredRun> runs) {
  std::string text =
      "run_id,repeat,started_at,model,batch_size,devices,engine,settings,origin,images_per_sec,"
      "mean_step_ms,median_step_ms,p5_step_ms,p95_step_ms,p99_step_ms,mad_step_ms,cv_step,outlier_"
      "steps,"
      "warmup_verdict,error\n";
  for (const StoredRun& run : runs) text += line_of(run, report);
  return text;
}

}  // namespace lockstep
