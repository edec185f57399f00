#include "app/measure_run.h"

#include <omp.h>

#include <algorithm>
#include <optional>
#include <ostream>

#include "app/run_input.h"
#include "app/train_watch.h"
#include "report/console.h"
#include "sync/independent.h"
#include "train/first_values.h"
#include "train/replicated.h"
#include "train/steps.h"

namespace lockstep {
namespace {

Step make_step(const RunPlan& plan, Engine& engine, InputSource& input, Strategy& strategy) {
  if (plan.config.forward_only) {
    return [&](StepMeter& meter, int64_t) { inference_step(engine, input, meter); };
  }
  const Trainee trainee = {engine, input, strategy, plan.schedule, plan.config.weight_decay};
  return [trainee](StepMeter& meter, int64_t step) { training_step(trainee, meter, step); };
}

std::vector<OpResult> op_results(const Engine& engine, const OpTotals* totals, size_t steps) {
  std::vector<OpResult> results;
  for (size_t i = 0; const OpInfo& op : engine.ops()) {
    results.push_back({.layer = op.layer,
                       .what = op.what,
                       .kernel = op.kernel,
                       .output = op.output.text(),
                       .forward_macs = op.forward_macs,
                       .forward_seconds = {},
                       .backward_seconds = {}});
    if (totals && steps > 0) {
      results.back().forward_seconds = totals->forward(i).count() / static_cast<double>(steps);
      results.back().backward_seconds = totals->backward(i).count() / static_cast<double>(steps);
    }
    ++i;
  }
  return results;
}

std::vector<TraceEvent> trace_of(const Engine& engine, const OpTimeline* timeline) {
  std::vector<TraceEvent> events;
  if (!timeline) return events;
  for (const OpTimeline::Event& event : timeline->events()) {
    const OpInfo& op = engine.ops()[static_cast<size_t>(event.op)];
    const std::string pass = event.pass == Pass::Forward ? "forward" : "backward";
    events.push_back({.name = op.layer + " " + op.what,
                      .category = pass,
                      .kernel = op.kernel,
                      .begin = event.begin - timeline->events().front().begin,
                      .duration = event.end - event.begin});
  }
  return events;
}

// Of other devices than the CPU it is not known.
std::optional<double> peak_of(const RunPlan& plan) {
  if (plan.config.device != "cpu") return {};
  return plan.engine->peak_gflops(plan.facts.threads);
}

// Forward is one product per layer, backward two; a multiply-add is two operations.
Throughput throughput_of(const RunPlan& plan, const LoopOutcome& outcome, const Summary& summary,
                         std::optional<double> peak_before) {
  const double images = static_cast<double>(outcome.timed.size()) * plan.facts.batch_size;
  const double products = plan.config.forward_only ? 1 : 3;
  const double flops_per_image = 2 * products * static_cast<double>(plan.facts.forward_macs);
  Throughput throughput = {.total_images_per_second = images / outcome.total.count(),
                           .total_seconds = outcome.total.count(),
                           .gflops = summary.images_per_second * flops_per_image / 1e9,
                           // A neighbour who leaves in the middle must not make us look good.
                           .fma_peak_gflops = std::max(peak_before, peak_of(plan)),
                           .fraction_of_peak = {}};
  if (throughput.fma_peak_gflops) {
    throughput.fraction_of_peak = throughput.gflops / *throughput.fma_peak_gflops;
  }
  return throughput;
}

}  // namespace

MeasuredRun measure_run(const RunPlan& plan, Engine& engine, RunResult result, Surroundings& around,
                        BenchmarkLog* log) {
  omp_set_num_threads(plan.facts.threads);  // of what runs outside the engine's kernels
  around.out << "Initializing graph\n" << std::flush;
  ParameterArena arena = make_arena(engine);
  start_from_first_values(plan.graph, plan.engine_options.seed, engine, arena);
  const std::unique_ptr<Strategy> strategy =
      std::make_unique<Independent>(replicated_of(engine, arena, plan.optimizer));
  strategy->start();
  const std::unique_ptr<InputSource> input =
      make_run_input(plan, {.usable_threads = result.host.usable_threads});

  const std::optional<double> peak_before = peak_of(plan);
  TrainWatch watch(around, plan, engine, log);
  around.out << "Running warm up\n" << std::flush;
  const auto ticks = read_cpu_ticks();
  LoopOutcome outcome =
      run_loop({.warmup_steps = plan.facts.warmup_steps, .timed_steps = plan.facts.timed_steps},
               make_step(plan, engine, *input, *strategy), watch);
  engine.observe(nullptr);

  result.status = outcome.interrupted ? "interrupted" : "completed";
  result.stolen_cpu_fraction = stolen_fraction(ticks, read_cpu_ticks());
  result.peak_memory_bytes = peak_memory_bytes();
  result.setup_seconds = watch.setup().count();
  result.input = input_result(*input);
  result.ops = op_results(engine, watch.totals(), outcome.timed.size());
  if (!outcome.timed.empty()) {
    result.summary = summarize(outcome.timed);
    result.throughput = throughput_of(plan, outcome, result.summary, peak_before);
    result.last_loss = reported_loss(plan.config, outcome.timed.back().losses);
  }
  result.warmup_steps = std::move(outcome.warmup);
  result.steps = std::move(outcome.timed);
  return {std::move(result), trace_of(engine, watch.timeline())};
}

}  // namespace lockstep
