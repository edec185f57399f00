// train.cpp: `lockstep train`: measures one run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

#include "app/conv_cache.h"
#include "app/external.h"
#include "app/foreign_flags.h"
#include "app/measure_run.h"
#include "app/memory_check.h"
#include "app/options.h"
#include "app/other_program.h"
#include "base/error.h"
#include "base/text.h"
#include "measure/host.h"
#include "report/atomic_file.h"
#include "report/console.h"
#include "report/profile.h"
#include "report/remarks.h"

namespace lockstep {
namespace {

// Before anything runs: a measurement that cannot be kept is not worth making.
void check_outputs(const RunConfig& run) {
  const std::pair<const char*, const std::string&> files[] = {{"result", run.result},
                                                              {"trace-file", run.trace_file}};
  for (const auto& [option, path] : files) {
    const std::string why = path.empty() ? "" : why_unwritable(path);
    if (!why.empty()) throw Error("cannot write --{} {}: {}", option, path, why);
  }
}

ConvChoices measured_choices(const RunPlan& plan, const HostInfo& host, Surroundings& around) {
  std::string libraries = program_version();
  for (const auto& [name, version] : plan.engine->libraries()) libraries += "; " + version;
  const ConvCache cache(around.cache_directory, host.cpu_model.value_or("unknown"), libraries,
                        around.err);
  return choose_convolutions(plan, cache, around.err);
}

RunResult started_result(const RunPlan& plan, HostInfo host) {
  RunResult result;
  result.program_version = program_version();
  result.started_at = utc_text(std::chrono::system_clock::now());
  result.config = plan.config;
  result.facts = plan.facts;
  result.host = std::move(host);
  result.libraries = plan.engine->libraries();
  result.conv_choices = plan.engine_options.conv_choices;
  return result;
}

void write_outputs(const RunPlan& plan, const MeasuredRun& run, Surroundings& around) {
  const RunConfig& config = plan.config;
  if (!config.result.empty()) {
    write_whole_file(config.result, result_to_json(run.result).dump(1) + "\n");
    around.err << "wrote " << config.result << "\n";
  }
  if (!config.trace_file.empty() && !run.trace.empty()) {
    around.out << "Dumping trace to " << config.trace_file << "\n";
    write_whole_file(config.trace_file, chrome_trace("lockstep " + plan.facts.model, run.trace));
  }
  if (config.profile) {
    const Seconds step{mean(durations(run.result.steps))};
    around.err << profile_table(run.result.ops, plan.facts.batch_size, step);
  }
}

int finish(const RunPlan& plan, const MeasuredRun& run, Surroundings& around, BenchmarkLog* log) {
  const RunResult& result = run.result;
  const bool interrupted = result.status == "interrupted";
  if (result.steps.empty()) {
    around.err << "lockstep: interrupted before the first timed step: nothing was measured\n";
    return kInterrupted;
  }
  around.out << total_block(result.throughput.total_images_per_second) << std::flush;
  if (log) {
    log->metric("average_examples_per_sec", result.throughput.total_images_per_second,
                static_cast<int64_t>(result.steps.size()));
  }
  write_outputs(plan, run, around);
  for (const std::string& line : remarks_after(result)) around.err << line << "\n";
  if (interrupted) {
    around.err << fmt::format("lockstep: interrupted after {} of {} timed steps\n",
                              result.steps.size(), plan.facts.timed_steps);
  }
  return interrupted ? kInterrupted : kSuccess;
}

}  // namespace

int train_command(Surroundings& around, std::span<const std::string> arguments) {
  RunConfig config;
  config.engine = around.engines.front().name;
  const CommandSyntax syntax = {.command = "train",
                                .summary = "Trains one network and measures how fast.",
                                .flags = run_flags(config)};
  const KnownArguments known = without_foreign_flags(arguments);
  if (parse(syntax, known.arguments) == Parsed::Help) {
    around.out << help_text(syntax);
    return kSuccess;
  }
  const auto other = program_elsewhere(around.engines, config.engine);
  if (other && config.program.empty()) become(*other, around, "train", arguments);
  if (!known.passed_over.empty()) {
    around.err << fmt::format("note: nothing to set here: {}\n",
                              fmt::join(known.passed_over, ", "));
  }
  if (!config.program.empty()) return train_external(around, config);
  const HostInfo host = read_host();
  RunPlan plan =
      plan_run(config, around.engines, around.default_threads.value_or(host.usable_threads));
  check_outputs(config);
  constexpr int64_t kUnknown = int64_t{1} << 50;  // then the system will tell
  const int64_t available = available_memory_bytes().value_or(kUnknown);
  refuse_hopeless_batch(plan, available);
  std::optional<BenchmarkLog> log;
  if (!config.benchmark_log_dir.empty()) log.emplace(config.benchmark_log_dir);
  plan.engine_options.conv_choices = measured_choices(plan, host, around);
  const std::unique_ptr<Engine> engine = make_fitting_engine(plan, available);

  RunResult result = started_result(plan, host);
  if (log) log->run(result, plan.epochs);
  for (const std::string& line : remarks_before(result)) around.err << line << "\n";
  around.out << header_text(program_version(), config, plan.facts, plan.epochs)
             << "Generating training model\n"
             << std::flush;
  const MeasuredRun run =
      measure_run(plan, *engine, std::move(result), around, log ? &*log : nullptr);
  return finish(plan, run, around, log ? &*log : nullptr);
}

}  // namespace lockstep
