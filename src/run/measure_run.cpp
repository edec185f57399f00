#include "run/measure_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <ostream>

#include "measure/shared_peak.h"
#include "report/analysis/critical_path.h"
#include "report/render/console.h"
#include "report/results/merge_ranks.h"
#include "run/between_steps.h"
#include "run/gather_run.h"
#include "run/op_report.h"
#include "run/parameter_place.h"
#include "run/replica_run.h"
#include "run/run_input.h"
#include "run/step_reporter.h"

namespace lockstep {
namespace {

// Of one worker; absent: not known.
std::optional<double> own_peak(const RunPlan& plan) {
  const EngineOptions& options = plan.engine_options;
  if (options.device == "cpu" && options.dtype == Dtype::F32) {
    return plan.engine->peak_gflops(plan.facts.threads);
  }
  if (!plan.engine->product_gflops) return {};
  return plan.engine->product_gflops(options.device, options.dtype);
}

// Of all workers at once, as they compute in a step.
std::optional<double> peak_of_all(const RunPlan& plan, Group& group) {
  group.control().barrier();
  const std::optional<double> own = own_peak(plan);
  if (!own) return {};
  const bool on_cpu = plan.engine_options.device == "cpu";
  const size_t ranks = static_cast<size_t>(group.control().size());
  std::vector<float> numbers(3 * ranks);  // everyone fills in what it knows
  float* mine = &numbers[3 * static_cast<size_t>(group.control().rank())];
  mine[0] = static_cast<float>(*own);
  mine[1] = static_cast<float>(
      std::min(plan.facts.threads, static_cast<int>(group.usable_cores().size())));
  mine[2] = static_cast<float>(group.cores_here());
  if (ranks > 1) group.control().all_reduce(numbers);
  std::vector<WorkerPeak> workers;
  for (size_t i = 0; i < ranks; ++i) {
    workers.push_back({.host = group.roster().members[i].host,
                       .gflops = numbers[3 * i],
                       .cores = on_cpu ? static_cast<int>(numbers[3 * i + 1]) : 0,
                       .host_cores = static_cast<int>(numbers[3 * i + 2])});
  }
  return shared_peak(workers);
}

GpuRecord record_of(const Group& group, const GpuWatch& gpu) {
  GpuRecord record = gpu.record();
  record.rank = group.rank();
  record.host = group.roster().members[static_cast<size_t>(group.rank())].host;
  return record;
}

WorkerReport report_of(const RunPlan& plan, const Group& group, const ReplicaRun& replica,
                       const Engine& engine, const StepReporter& reporter, LoopOutcome outcome) {
  const size_t traced = static_cast<size_t>(std::max(plan.facts.warmup_steps - 2, 0));
  WorkerReport report;
  report.start = replica.start();
  report.trace.name = group.roster().who(group.rank());
  if (reporter.timeline() && outcome.warmup.size() > traced) {
    report.trace.layers = layer_events(engine, reporter.timeline());
    if (!replica.transfers().empty()) {
      report.trace.transfers =
          transfer_events(replica.transfers(), replica.transfers_of(traced), replica.start());
    }
  }
  report.rank = {.rank = group.rank(),
                 .host = group.roster().members[static_cast<size_t>(group.rank())].host,
                 .cores = core_text(group.usable_cores()),
                 .threads = plan.facts.threads,
                 .total = outcome.total,
                 .peak_memory_bytes = peak_memory_bytes(),
                 .warmup_steps = std::move(outcome.warmup),
                 .steps = std::move(outcome.timed),
                 .transfers = replica.timed_transfers()};
  return report;
}

// Some steps before the run and some after, so that a machine that changes its speed meanwhile does
// not look like communication. Servers wait for nobody, so with them all come after.
class IndependentSteps {
 public:
  IndependentSteps(const RunPlan& plan, ReplicaRun& replica, Group& group)
      : plan_(plan), replica_(replica), group_(group) {}

  void before() {
    if (wanted() && !plan_.strategy->needs_servers) run(plan_.facts.timed_steps / 2);
  }
  void after() {
    if (wanted()) run(plan_.facts.timed_steps - steps_);
  }

  std::optional<Independence> against(double images_per_second) const {
    if (steps_ == 0) return {};
    const double images = double{1} * steps_ * plan_.facts.batch_size * plan_.facts.devices;
    const double alone = images / time_.count();
    Independence found = {.images_per_second = alone,
                          .communication_efficiency = images_per_second / alone,
                          .steps = steps_};
    for (size_t i = 0; i < phases_.size(); ++i) found.mean_phases[i] = phases_[i] / steps_;
    return found;
  }

 private:
  bool wanted() const {
    const bool alone = plan_.facts.devices == 1 && !plan_.strategy->needs_servers;
    return plan_.config.efficiency && plan_.strategy->communicates && !alone;
  }

  // One all-reduce carries the total of each rank, of which the largest counts, and the phases, of
  // which the mean does.
  void run(int steps) {
    if (steps < 1) return;
    const IndependentTimes own = replica_.measure_independent(steps);
    const auto ranks = static_cast<size_t>(group_.control().size());
    std::vector<float> all(ranks);
    all[static_cast<size_t>(group_.control().rank())] = static_cast<float>(own.total.count());
    for (const Seconds phase : own.phases) all.push_back(static_cast<float>(phase.count()));
    if (ranks > 1) group_.control().all_reduce(all);
    const auto phases = all.begin() + static_cast<std::ptrdiff_t>(ranks);
    time_ += Seconds(*std::max_element(all.begin(), phases));
    for (size_t i = 0; i < phases_.size(); ++i) {
      phases_[i] += all[ranks + i] / static_cast<double>(ranks);
    }
    steps_ += steps;
  }

  const RunPlan& plan_;
  ReplicaRun& replica_;
  Group& group_;
  int steps_ = 0;
  Seconds time_{};
  std::array<double, kPhaseNames.size()> phases_{};  // seconds, mean over ranks
};

// With servers, workers wait at several places of a step, and its phases do not tell where.
void add_energy(WorkerReport& report, const EnergyTrace& energy, const RunPlan& plan) {
  report.reads_energy = true;
  report.joules = energy.joules();
  if (plan.facts.servers > 0 || !report.joules) return;
  report.phase_joules = joules_by_phase(energy.samples(), report.rank.steps, report.start);
}

}  // namespace

Throughput throughput_of(const RunPlan& plan, const RunResult& result, Seconds total,
                         std::optional<double> peak) {
  double images = 0;
  for (const StepRecord& step : result.steps) images += step.images;
  const double images_per_second = images / total.count();
  const double products = plan.config.forward_only ? 1 : 3;
  const double flops_per_image = 2 * products * static_cast<double>(plan.facts.forward_macs);
  Throughput throughput = {.total_images_per_second = images_per_second,
                           .total_seconds = total.count(),
                           .per_device = images_per_second / plan.facts.devices,
                           .per_node = images_per_second / plan.facts.nodes,
                           .gflops = images_per_second * flops_per_image / 1e9,
                           .fma_peak_gflops = peak,
                           .fraction_of_peak = {}};
  if (peak) throughput.fraction_of_peak = throughput.gflops / *peak;
  return throughput;
}

EnergyResult energy_of(const RunResult& result, double joules, const PhaseJoules& phases) {
  double images = 0;
  for (const StepRecord& step : result.steps) images += step.images;
  return {.joules = joules, .images_per_joule = images / joules, .phases = phases};
}

Seconds slowest_total(const std::vector<RankResult>& ranks) {
  Seconds slowest{};
  for (const RankResult& rank : ranks) slowest = std::max(slowest, rank.total);
  return slowest;
}

MeasuredRun measure_run(const RunPlan& plan, Engine& engine, Group& group, RunResult result,
                        Context& context, BenchmarkLog* log, const Checkpoint* from,
                        GpuWatch* gpu) {
  group.check_consistent("layout", {{"the engine's layout of values",
                                     fmt::format("{:016x}", engine.layout_fingerprint())},
                                    {"where parameters live", place_text(plan)}});
  context.out << "Initializing graph\n" << std::flush;
  ReplicaRun replica(plan, engine, group, from);
  const std::optional<double> peak_before = peak_of_all(plan, group);
  IndependentSteps independent(plan, replica, group);
  independent.before();

  std::optional<Summaries> summaries;
  if (group.rank() == 0 && !plan.config.summary_dir.empty()) summaries.emplace(plan);
  Summaries* const told = summaries ? &*summaries : nullptr;
  StepAgreement agreement(group.control());
  BetweenSteps between_steps(context, plan, group, agreement, log, told);
  StepReporter reporter(context, plan, engine, group, agreement, log, told);
  reporter.watch(gpu);
  const ClockOffsets clocks = measure_clock_offsets(group.control());
  context.out << "Running warm up\n" << std::flush;
  const auto ticks = read_cpu_ticks();
  LoopOutcome outcome = replica.measure(reporter, &between_steps);
  engine.observe(nullptr);
  if (DeviceParameters* const parameters = engine.device_parameters()) {
    if (const auto scale = parameters->loss_scale()) {
      result.loss_scale = {.last = scale->scale, .skipped_updates = scale->skipped_updates};
    }
  }
  result.status = outcome.interrupted() ? RunStatus::Interrupted : RunStatus::Completed;
  result.stolen_cpu_fraction = stolen_fraction(ticks, read_cpu_ticks());
  result.peak_memory_bytes = peak_memory_bytes();
  result.setup_seconds = reporter.setup().count();
  const InputCost input_cost = replica.input().cost();
  const Skipped skipped = replica.input().skipped();
  result.evaluations = between_steps.evaluations();
  result.ops = op_results(engine, reporter.totals(), outcome.timed.size());
  if (!outcome.interrupted()) independent.after();
  // The larger peak: another program that ran during one of them must not improve our efficiency.
  const std::optional<double> peak = std::max(peak_before, peak_of_all(plan, group));

  WorkerReport report = report_of(plan, group, replica, engine, reporter, std::move(outcome));
  report.input = input_cost;
  report.skipped = skipped;
  if (gpu) report.rank.gpu = record_of(group, *gpu);
  if (const EnergyTrace* energy = reporter.energy()) add_energy(report, *energy, plan);
  GatheredRun gathered = gather_run(group, clocks, std::move(report));
  if (group.rank() > 0) return {std::move(result), {}};
  result.input = input_result(gathered.input, gathered.skipped);
  const Seconds total = slowest_total(gathered.ranks);
  for (RankResult& rank : gathered.ranks) {
    if (rank.gpu) result.gpus.push_back(std::move(*rank.gpu));
    rank.gpu.reset();
  }
  const std::optional<double> joules = gathered.joules;
  const PhaseJoules phase_joules = gathered.phase_joules;
  merge_ranks(result, std::move(gathered.ranks));
  if (result.status == RunStatus::Interrupted)
    result.facts.timed_steps = static_cast<int>(result.steps.size());
  result.transfers.assign(replica.transfers().begin(), replica.transfers().end());
  if (!result.steps.empty()) {
    result.throughput = throughput_of(plan, result, total, peak);
    result.throughput.checkpoint_seconds = between_steps.checkpoint_time().count();
    result.summary = summarize(result.steps, result.throughput.total_images_per_second);
    if (joules && *joules > 0) {
      result.energy = energy_of(result, *joules, phase_joules);
    }
    result.path = critical_path_of(result);
    result.independent = independent.against(result.throughput.total_images_per_second);
    result.last_loss = plan.config.forward_only
                           ? std::numeric_limits<double>::quiet_NaN()  // there is none
                           : reported_loss(plan.config, result.steps.back().losses);
  }
  return {std::move(result), std::move(gathered.traces)};
}

}  // namespace lockstep
