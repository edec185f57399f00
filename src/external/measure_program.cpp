#include "external/measure_program.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <ostream>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/exit_code.h"
#include "base/interrupt.h"
#include "base/version.h"
#include "config/problems.h"
#include "external/plan_program.h"
#include "external/readings.h"
#include "external/ready_programs.h"
#include "nn/zoo.h"
#include "process/adoption.h"
#include "process/ports.h"
#include "process/run_commands.h"
#include "report/render/console.h"
#include "report/render/remarks.h"
#include "report/results/benchmark_log.h"

namespace lockstep {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct ExternalRun {
  Program program;
  RunConfig config;  // resolved
  std::vector<Command> plan;
  int workers = 1;  // that print a throughput
  RunLimits limits;
};

// Our networks in any spelling; other names pass unchanged: a program may have more networks.
const Model* known_model(const std::string& name) {
  try {
    return &find_model(name);
  } catch (const UsageError&) {  // not one of our networks: allowed here
    return nullptr;
  }
}

RunConfig resolved(const Program& program, const RunConfig& options) {
  RunConfig run = with_fixed_options(program, options);
  const Model* model = known_model(run.model);
  if (model) run.model = model->name;
  if (run.batch_size == 0) {
    if (!model) {
      throw UsageError("--model '{}': has no default batch size; give --batch-size", run.model);
    }
    run.batch_size = model->default_batch_size;
  }
  run.num_batches = run.num_batches.value_or(kDefaultTimedSteps);
  return run;
}

Addresses local_addresses(const ProcessCounts& counts) {
  Addresses addresses;
  const std::vector<int> ports = free_ports(counts.servers + counts.workers + 1);
  for (int i = 0; i < counts.servers + counts.workers; ++i) {
    auto& side = i < counts.servers ? addresses.servers : addresses.workers;
    side.push_back(fmt::format("127.0.0.1:{}", ports[static_cast<size_t>(i)]));
  }
  addresses.port = fmt::to_string(ports.back());
  return addresses;
}

void refuse(const std::vector<std::string>& problems) {
  if (!problems.empty()) throw UsageError("{}", fmt::join(problems, "\n"));
}

ExternalRun plan_external(const RunConfig& options) {
  refuse(problems_in(options));
  ExternalRun run = {
      .program = load_program(options.program), .config = {}, .plan = {}, .limits = {}};
  refuse(unsupported_options(run.program, options));
  run.config = resolved(run.program, options);
  const ProcessCounts counts = process_counts(run.program, run.config);
  run.workers = reporting_workers(run.program, run.config);
  run.plan = plan_program(run.program, run.config, local_addresses(counts));
  run.limits.time = Seconds(run.config.program_timeout.value_or(run.program.timeout_seconds));
  if (run.program.silence_seconds) run.limits.silence = Seconds(*run.program.silence_seconds);
  return run;
}

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
  result.summary.images_per_second = kUnknown;
  result.summary.images_per_second_95 = {};
  result.program.emplace();
  result.program->name = run.program.name;
  result.program->source = run.program.source;
  for (const Command& command : run.plan) result.program->commands.push_back(command.argv);
  return result;
}

// Runs the plan, reads its numbers, and shows the lines that have numbers.
PlanOutcome watch(const ExternalRun& run, Readings& readings, std::ostream& err) {
  const InterruptWatch interrupts;
  const Adoption adoption;
  const auto line = [&](const OutputLine& output) {
    const bool worker = run.plan[output.command].role == Command::Role::Worker;
    const Readings::Found found = worker ? readings.add(output) : Readings::Found::Nothing;
    if (found != Readings::Found::Nothing || run.config.verbose) {
      err << "[" << run.plan[output.command].name << "] " << output.text << "\n";
    }
    const bool over = found == Readings::Found::Enough || found == Readings::Found::Forbidden;
    return over ? Next::Stop : Next::Continue;
  };
  const auto poll = [&] { return interrupts.interrupted() ? Next::Stop : Next::Continue; };
  return run_commands(run.plan, run.limits,
                      {.line = line, .poll = poll, .log_directory = run.config.log_dir});
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

void add_numbers(RunResult& result, const Readings& readings, double images_per_second) {
  const int images = result.config.batch_size * result.config.num_devices;
  for (const IntervalSample& sample : readings.samples()) {
    StepRecord& step = result.steps.emplace_back();
    step.begin = sample.time;
    step.duration = Seconds(images / sample.images_per_second);
    step.images = images;
  }
  if (result.steps.empty()) {
    result.summary.images_per_second = images_per_second;
  } else {
    result.summary = summarize(result.steps, images_per_second);
  }
  result.throughput.total_images_per_second = images_per_second;
}

std::vector<ProgramReading> kept(const std::vector<Reading>& readings) {
  std::vector<ProgramReading> result;
  for (const Reading& reading : readings) {
    result.push_back({reading.worker, reading.step, reading.time, reading.images_per_second});
  }
  return result;
}

RunResult finished_result(RunResult result, const ExternalRun& run, const PlanOutcome& outcome,
                          const Readings& readings) {
  result.program->duration = outcome.duration;
  result.program->step_lines = kept(readings.steps());
  result.program->total_lines = kept(readings.totals());
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

void tell_failure(const RunResult& result, std::ostream& err) {
  err << "lockstep: " << *result.error << "\n";
  const std::vector<std::string>& lines = result.program->last_lines;
  if (lines.empty()) {
    err << "lockstep: the program printed nothing\n";
  } else {
    err << fmt::format("lockstep: last lines of its output:\n  {}\n", fmt::join(lines, "\n  "));
  }
}

int report(const RunResult& result, Context& context) {
  if (!result.config.result.empty()) {
    write_result(result.config.result, result);
  }
  if (result.error) {
    tell_failure(result, context.err);
    return result.status == RunStatus::Interrupted ? kInterrupted : kFailure;
  }
  context.out << total_block(result.throughput.total_images_per_second) << std::flush;
  if (const auto& interval = result.summary.images_per_second_95) {
    context.out << fmt::format(
        "{} intervals, 95 % confidence interval {:.2f} to {:.2f} images per second\n",
        result.steps.size(), interval->low, interval->high);
  }
  return kSuccess;
}

}  // namespace

RunConfig resolve_program_run(const RunConfig& options) { return plan_external(options).config; }

int train_external(Context& context, const RunConfig& options) {
  const ExternalRun run = plan_external(options);
  const std::string& path = run.config.result;
  const std::string why = path.empty() ? "" : why_unwritable(path);
  if (!why.empty()) throw UsageError("cannot write --result {}: {}", path, why);

  RunResult result = started_result(context, run);
  context.out << fmt::format("{:<13}{}\n{:<13}{}\n{:<13}{} global\n{:<13}{} per device\n",
                             "Program:", run.program.name, "Model:", run.config.model,
                             "Batch size:", run.config.batch_size * run.config.num_devices, "",
                             run.config.batch_size)
              << std::flush;
  Readings readings(run.program, run.workers, run.config.num_devices);
  const PlanOutcome outcome = watch(run, readings, context.err);
  return report(finished_result(std::move(result), run, outcome, readings), context);
}

}  // namespace lockstep
