#include "external/program_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/utc_text.h"
#include "base/version.h"
#include "report/results/benchmark_log.h"

namespace lockstep {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

Summary unknown_summary() {
  Summary summary;
  for (double* number :
       {&summary.images_per_second, &summary.median_step, &summary.mean_step, &summary.p5_step,
        &summary.p95_step, &summary.p99_step, &summary.mad_step, &summary.cv_step,
        &summary.fastest_step, &summary.slowest_step, &summary.steady_state.drift}) {
    *number = kUnknown;
  }
  summary.steady_state.steadiness = Steadiness::TooFewSteps;
  summary.mean_phases.fill(kUnknown);
  return summary;
}

// Why the run failed; empty: it succeeded.
std::string why_failed(const PlanOutcome& outcome, const Readings& readings) {
  const bool ended_well = outcome.end == RunEnd::Completed || outcome.end == RunEnd::Stopped;
  return ended_well ? readings.problem() : outcome.why;
}

// The process that failed, else the first worker.
size_t interesting_command(const ExternalRun& run, const PlanOutcome& outcome) {
  if (outcome.end == RunEnd::Failed) return outcome.culprit;
  for (size_t i = 0; i < run.plan.size(); ++i) {
    if (run.plan[i].role == Command::Role::Worker) return i;
  }
  return 0;
}

// A program may print a loss without computing one: tf_cnn_benchmarks prints 0.
std::optional<double> loss_of(const std::optional<double>& printed, const RunConfig& config) {
  return config.forward_only ? std::nullopt : printed;
}

StepRecord step_of(const IntervalSample& sample, const RunConfig& config) {
  const int images = config.batch_size * config.num_devices;
  StepRecord step;
  step.begin = sample.time;
  step.duration = Seconds(images / sample.images_per_second);
  step.phases.fill(Seconds(kUnknown));
  step.images = images;
  step.losses.base_loss = kUnknown;
  step.losses.total_loss = loss_of(sample.loss, config).value_or(kUnknown);
  return step;
}

void add_numbers(RunResult& result, const Readings& readings, double images_per_second) {
  for (const IntervalSample& sample : readings.samples()) {
    result.steps.push_back(step_of(sample, result.config));
  }
  if (!result.steps.empty()) result.summary = summarize(result.steps, images_per_second);
  result.summary.images_per_second = images_per_second;
  result.summary.mean_phases = readings.mean_phases();
  result.throughput.total_images_per_second = images_per_second;
  result.last_loss = loss_of(readings.last_loss(), result.config).value_or(kUnknown);
}

std::vector<ProgramReading> kept(const std::vector<Reading>& readings, const RunConfig& config) {
  std::vector<ProgramReading> result;
  for (const Reading& reading : readings) {
    result.push_back({.worker = reading.worker,
                      .step = reading.step,
                      .time = reading.time,
                      .images_per_second = reading.images_per_second,
                      .loss = loss_of(reading.loss, config)});
  }
  return result;
}

}  // namespace

RunResult started_result(const Context& context, const ExternalRun& run) {
  RunResult result;
  result.program_version = program_version();
  result.provenance = context.provenance;
  result.origin = "program " + run.program.name;
  result.started_at = utc_text(std::chrono::system_clock::now());
  result.config = run.config;
  result.facts.model = run.config.model;
  result.facts.dataset = run.config.data_name;
  result.facts.batch_size = run.config.batch_size;
  result.facts.threads = run.config.threads;
  result.facts.devices = run.config.num_devices;
  result.facts.servers = run.counts.servers;
  result.facts.warmup_steps = run.config.num_warmup_batches;
  const bool is_told = std::ranges::count(placeholders_of(run.program), "num_batches") > 0;
  result.facts.timed_steps = is_told ? *run.config.num_batches : 0;
  result.host = read_host();
  result.last_loss = kUnknown;
  result.throughput = {.total_images_per_second = kUnknown,
                       .total_seconds = kUnknown,
                       .per_device = kUnknown,
                       .per_node = kUnknown,
                       .gflops = kUnknown,
                       .fma_peak_gflops = {},
                       .fraction_of_peak = {}};
  result.summary = unknown_summary();
  result.program.emplace();
  result.program->name = run.program.name;
  result.program->source = run.program.source;
  const bool of_worker = run.program.output.step_of == RateOf::Worker;
  result.program->step_lines_of = of_worker ? "worker" : "run";
  for (const Command& command : run.plan) result.program->commands.push_back(command.argv);
  return result;
}

RunResult finished_result(RunResult result, const ExternalRun& run, const PlanOutcome& outcome,
                          const Readings& readings) {
  result.program->duration = outcome.duration;
  result.program->step_lines = kept(readings.steps(), run.config);
  result.program->total_lines = kept(readings.totals(), run.config);
  const std::string why = why_failed(outcome, readings);
  if (why.empty()) {
    add_numbers(result, readings, *readings.images_per_second());
    return result;
  }
  result.status = outcome.end == RunEnd::Interrupted ? RunStatus::Interrupted : RunStatus::Failed;
  result.error = fmt::format("program {}: {}", run.program.name, why);
  result.program->last_lines = outcome.commands[interesting_command(run, outcome)].last_lines;
  return result;
}

}  // namespace lockstep
