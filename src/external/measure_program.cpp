#include "external/measure_program.h"

#include <fmt/ranges.h>

#include <ostream>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/exit_code.h"
#include "base/interrupt.h"
#include "external/external_run.h"
#include "external/program_result.h"
#include "external/readings.h"
#include "process/adoption.h"
#include "process/run_commands.h"
#include "report/render/console.h"

namespace lockstep {
namespace {

// Numbers are of workers, which come after the servers.
Readings::Found add(Readings& readings, const OutputLine& output, size_t servers) {
  if (output.command < servers) return Readings::Found::Nothing;
  return readings.add({.command = output.command - servers,
                       .time = output.time,
                       .text = output.text,
                       .whole = output.whole,
                       .from_stderr = output.from_stderr});
}

// Runs the plan, reads its numbers, and shows the lines that have numbers.
PlanOutcome watch(const ExternalRun& run, Readings& readings, std::ostream& err) {
  const InterruptWatch interrupts;
  const Adoption adoption;
  const auto line = [&](const OutputLine& output) {
    const Readings::Found found = add(readings, output, static_cast<size_t>(run.counts.servers));
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

RunConfig resolve_program_run(const RunConfig& options) {
  const auto any_python = [](const std::string&) { return std::nullopt; };
  return plan_external(options, any_python).config;
}

int train_external(Context& context, const RunConfig& options) {
  const ExternalRun run = plan_external(options, context.environment);
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
