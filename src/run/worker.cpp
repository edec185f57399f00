#include "run/worker.h"

#include <fmt/format.h>

#include <ostream>

#include "base/error.h"
#include "base/exit_code.h"
#include "base/interrupt.h"
#include "base/run_event.h"
#include "base/text.h"
#include "base/utc_text.h"
#include "base/version.h"
#include "comm/gather.h"
#include "measure/gpu_presence.h"
#include "measure/gpu_watch.h"
#include "measure/host.h"
#include "report/render/budget_text.h"
#include "report/render/console.h"
#include "report/render/remarks.h"
#include "report/render/run_header.h"
#include "run/conv_cache.h"
#include "run/evaluate_run.h"
#include "run/framework/framework_run.h"
#include "run/measure_run.h"
#include "run/memory_check.h"
#include "run/parameter_place.h"
#include "run/rank/agreed_device.h"
#include "run/rank/format_check.h"
#include "run/replica_run.h"
#include "run/resume.h"
#include "run/run_input.h"
#include "run/run_outputs.h"

namespace lockstep {
namespace {

// A stream that swallows everything.
class Silence : public std::ostream {
 public:
  Silence() : std::ostream(nullptr) {}
};

RunResult started_result(const Context& context, const RunPlan& plan, HostInfo host) {
  RunResult result;
  result.program_version = program_version();
  result.provenance = context.provenance;
  result.started_at = utc_text(std::chrono::system_clock::now());
  result.config = plan.config;
  result.facts = plan.facts;
  result.host = std::move(host);
  result.libraries = plan.engine->libraries(plan.engine_options.device);
  result.conv_choices = plan.engine_options.conv_choices;
  // Until a report of `lockstep selftest` from such hardware has arrived.
  if (plan.config.device != "cpu") {
    result.notes.emplace_back("training on GPUs is not yet run on GPU hardware by the project");
  }
  if (plan.config.graph) {
    result.notes.emplace_back("--graph: the GPU tells no phases; forward holds the whole step");
  }
  return result;
}

int finish(const RunPlan& plan, const MeasuredRun& run, Context& context, BenchmarkLog* log) {
  const RunResult& result = run.result;
  const bool interrupted = result.status == RunStatus::Interrupted;
  if (result.steps.empty()) {
    context.err << "lockstep: interrupted before the first timed step; nothing was measured\n";
    report_event(context, {RunEvent::Kind::Interrupted});
    return kInterrupted;
  }
  const double total = result.throughput.total_images_per_second;
  context.out << total_block(total) << std::flush;
  if (log) {
    log->metric("average_examples_per_sec", total, static_cast<int64_t>(result.steps.size()));
  }
  if (plan.config.output_format == "lockstep") {
    context.out << devices_line(plan.config, result.facts, total);
    for (const std::string& line : summary_lines(result)) context.out << line << "\n";
    for (const std::string& line : why_lines(result)) context.out << line << "\n";
  }
  write_outputs(plan, run, context);
  context.out << std::flush;  // before the remarks on it
  for (const std::string& line : remarks_after(result)) context.err << line << "\n";
  if (interrupted) {
    context.err << fmt::format("lockstep: interrupted after {} of {} timed steps\n",
                               result.steps.size(), plan.facts.timed_steps);
    report_event(context, {RunEvent::Kind::Interrupted});
  }
  return interrupted ? kInterrupted : kSuccess;
}

std::string resumption_line(const FoundCheckpoint& from, const RunPlan& plan) {
  const int64_t step = plan.resume_point.step;
  if (plan.facts.timed_steps > 0)
    return fmt::format("resuming from {}: step {}\n", from.path, step);
  return fmt::format(
      "{}: training is complete at step {}; raise --num-batches or --num-epochs to continue\n",
      from.path, step);
}

// Pins this worker, and every thread that it starts from now on, to its cores.
WorkerShare take_share(const Context& context, const Group& group, const HostInfo& host) {
  const CoreSet cores = group.own_cores();
  if (group.pinned()) bind_this_thread(cores);
  const bool shared = group.pinned() || group.workers_here() > 1;
  const int own = cores.empty() ? 1 : static_cast<int>(cores.size());
  return {.threads = context.default_threads.value_or(shared ? own : host.usable_threads),
          .rank = group.rank()};
}

std::string gpus_here(const RunPlan& plan) {
  const GpuPresence found = gpus_present();
  if (found.count > 0 && !(found.graphics_perhaps && plan.config.device == "cpu")) {
    return found.text();
  }
  if (plan.config.device == "cpu" || !plan.engine->accelerators) return "";
  const std::optional<Accelerators> known = plan.engine->accelerators();
  return known ? count_text(known->count, "GPU") : "";
}

void add_group_facts(RunPlan& plan, const Group& group) {
  plan.facts.nodes = group.nodes();
  plan.facts.servers = group.roles().servers;
  plan.facts.workers_here = group.workers_here();
  plan.facts.cores_here = group.cores_here();
  plan.facts.pinned = group.pinned();
  if (plan.strategy->communicates) plan.facts.communicator = group.backend();
  plan.facts.gpus = gpus_here(plan);
  place_parameters(plan);
}

// Rank 0 finds out how to convolve, and all do the same: replicas stay equal bit by bit. A run that
// goes on does what it did before, for the same reason.
ConvChoices agreed_choices(const RunPlan& plan, const HostInfo& host, Context& context,
                           Group& group, const ConvChoices& resumed) {
  std::string text;
  if (group.rank() == 0) {
    const ConvCache cache(context.cache_directory, conv_conditions(plan, host), context.err);
    text = to_text(choose_convolutions(plan, cache, context.err, resumed));
  }
  return conv_choices_from_text(broadcast_text(group.control(), text, 0));
}

// What is left of the plan after the newest checkpoint, if there is one.
std::optional<FoundCheckpoint> resume(RunPlan& plan, Context& context, Group& group) {
  if (plan.config.train_dir.empty()) return {};
  std::optional<FoundCheckpoint> from = find_checkpoint(plan.config, group, context.err);
  if (!from) return {};
  resume_from(*from, plan);
  if (group.rank() == 0) context.err << resumption_line(*from, plan);
  return from;
}

void note_unwritten(const RunConfig& config, std::ostream& err) {
  for (const auto& [option, path] :
       {std::pair{"result", &config.result}, std::pair{"trace-file", &config.trace_file},
        std::pair{"benchmark-log-dir", &config.benchmark_log_dir}}) {
    if (!path->empty()) err << fmt::format("note: --{} ignored: worker 0 writes it\n", option);
  }
}

// Collective: rank 0 knows the images per second of all workers. 0: nothing was measured.
double total_of_all(Group& group, const RunResult& result) {
  const double total = result.steps.empty() ? 0 : result.throughput.total_images_per_second;
  return finite_number(broadcast_text(group.control(), fmt::to_string(total), 0)).value_or(0);
}

// Of a framework in place of an engine.
int measure_other(Context& context, const RunPlan& plan, Group& group, RunResult result) {
  context.out << header_text(result, plan.epochs) << "Generating training model\n" << std::flush;
  const MeasuredRun run = measure_framework(plan, group, std::move(result), context);
  if (group.rank() == 0) return finish(plan, run, context, nullptr);
  return run.result.status == RunStatus::Interrupted ? kInterrupted : kSuccess;
}

void check_format(const RunConfig& config, GpuLibrary* gpus, const RankDevice& device) {
  const std::string obstacle =
      format_obstacle(dtype_named(config.dtype), device.device, gpus, device.library_index);
  if (obstacle.empty()) return;
  throw UsageError("--dtype {}: {}; use f32 or fp16", config.dtype, obstacle);
}

// `setting_up` ends with the set-up.
int measure(RunContext& context, RunPlan plan, Group& group, std::optional<LastWords>& setting_up) {
  const RunConfig& config = plan.config;
  const HostInfo host = read_host();
  const std::unique_ptr<GpuLibrary> gpus = config.device == "cpu" ? nullptr : open_gpus();
  const EngineKind* const engine_kind = has_framework(config) ? nullptr : plan.engine;
  const RankDevice device =
      agreed_device(config, group, gpus.get(), engine_kind, context.environment);
  check_format(config, gpus.get(), device);
  group.use_cores(device.cores);
  WorkerShare share = take_share(context, group, host);
  if (!config.eval) share.training_examples = count_training_examples(config, group, context.err);
  assign_worker(plan, share);
  plan.engine_options.device = device.device;
  add_group_facts(plan, group);
  constexpr int64_t kUnknown = int64_t{1} << 50;  // then the system will tell
  const int64_t available = available_memory_bytes().value_or(kUnknown) / group.workers_here();
  const bool speaks = group.rank() == 0;
  if (config.eval) {
    setting_up.reset();
    return evaluate_newest(context, plan, group, started_result(context, plan, host));
  }
  if (has_framework(config)) {
    setting_up.reset();
    return measure_other(context, plan, group, started_result(context, plan, host));
  }
  refuse_hopeless_batch(plan, available);
  std::optional<BenchmarkLog> log;
  if (speaks && !config.benchmark_log_dir.empty()) log.emplace(config.benchmark_log_dir);
  const std::optional<FoundCheckpoint> from = resume(plan, context, group);
  if (plan.facts.timed_steps == 0) {
    dismiss_servers(plan, group);
    return kSuccess;
  }
  const ConvChoices resumed =
      from ? conv_choices_from_text(from->checkpoint.facts().convolutions) : ConvChoices{};
  plan.engine_options.conv_choices = agreed_choices(plan, host, context, group, resumed);
  const std::unique_ptr<Engine> engine = make_fitting_engine(plan, available);

  RunResult result = started_result(context, plan, host);
  if (log) log->run(result, plan.epochs);
  if (speaks) {
    for (const std::string& line : remarks_before(result)) context.err << line << "\n";
  }
  context.out << header_text(result, plan.epochs) << "Generating training model\n" << std::flush;
  std::optional<GpuWatch> gpu;
  if (device.library_index) gpu.emplace(*gpus, *device.library_index);
  const MeasuredRun run =
      measure_run(plan, *engine, group, std::move(result), context, log ? &*log : nullptr,
                  from ? &from->checkpoint : nullptr, gpu ? &*gpu : nullptr);
  const double total = started_by_hand(config) ? total_of_all(group, run.result) : 0;
  if (speaks) return finish(plan, run, context, log ? &*log : nullptr);
  if (total > 0) context.out << total_block(total) << std::flush;
  if (started_by_hand(config) && run.result.status == RunStatus::Interrupted) {
    context.err << "lockstep: interrupted; worker 0 writes the result\n";
  }
  return run.result.status == RunStatus::Interrupted ? kInterrupted : kSuccess;
}

// A launcher hears of it, too, and need not say it again.
std::string words_of_set_up(const Context& context) {
  std::string text = "lockstep: interrupted during set-up; nothing was measured\n";
  if (context.environment(kEventsVariable)) {
    text += event_line({RunEvent::Kind::Interrupted}) + "\n";
  }
  return text;
}

}  // namespace

int work(RunContext& context, const RunConfig& config, const RankIdentity& identity,
         const Roles& roles) {
  RunPlan plan =
      plan_run(config, context.engines, roles.workers);  // reports errors before connecting
  if (identity.rank == 0) {
    check_outputs(config);
    check_directories(config);
  } else if (started_by_hand(config)) {
    note_unwritten(config, context.err);
  }
  const bool heard = identity.rank == 0 || started_by_hand(config);
  std::optional<LastWords> setting_up;  // no more once the steps watch for interrupts
  if (heard) setting_up.emplace(words_of_set_up(context), kInterrupted);
  if (identity.rendezvous == Rendezvous::OwnStore) {
    context.err << token_warning(identity) << waiting_line(identity, roles) << "\n" << std::flush;
  }
  Group group(identity, roles, config);
  Silence silence;
  RunContext unheard = with_out(context, silence);
  unheard.err_is_terminal = false;  // no progress
  const int code = measure(heard ? context : unheard, std::move(plan), group, setting_up);
  // The first to end with another code than 0 takes all ranks of mpirun with it: none may do so
  // before rank 0 has written everything.
  if (code == kInterrupted) group.control().barrier();
  return code;
}

}  // namespace lockstep
