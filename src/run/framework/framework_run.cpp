#include "run/framework/framework_run.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <ostream>

#include "base/error.h"
#include "base/huge_pages.h"
#include "base/network_interface.h"
#include "base/regular_file.h"
#include "base/text.h"
#include "comm/gather.h"
#include "comm/own_address.h"
#include "framework/framework_job.h"
#include "framework/python.h"
#include "measure/cores.h"
#include "measure/energy_trace.h"
#include "measure/host.h"
#include "process/guarded_directory.h"
#include "process/ports.h"
#include "process/run_commands.h"
#include "report/analysis/critical_path.h"
#include "report/results/merge_ranks.h"
#include "run/framework/framework_listener.h"
#include "run/framework/framework_watch.h"
#include "run/framework/native_check.h"
#include "run/gather_run.h"
#include "run/peer_text.h"
#include "run/run_input.h"

namespace lockstep {
namespace {

// The second step shows what the optimizer keeps of the first. A later launch of a sweep trains
// what the first one has checked and tried, so its memory is that of training alone.
int check_steps(const RunConfig& config) { return config.framework_mode.empty() ? 2 : 0; }

constexpr Seconds kLongSilence{1800};  // a framework may compile for minutes
// The watch says more about a stopped framework, but only once it has reported a step.
constexpr Seconds kMoreThanWatch{5};

// A free port of this host for every rank. The first rank of a host finds them for all: by
// themselves two could find the same one. Collective.
std::string own_port(Group& group) {
  const std::string found =
      group.local_rank() == 0 ? fmt::format("{}", fmt::join(free_ports(group.workers_here()), ","))
                              : "";
  const std::vector<std::string> ports = all_gather(group.control(), found);
  const Roster& roster = group.roster();
  const std::string& host = roster.members[static_cast<size_t>(roster.rank)].host;
  const int first = ranks_on_host(roster, host).front();
  const auto place = static_cast<size_t>(group.local_rank());
  const std::vector<std::string> here = split(ports[static_cast<size_t>(first)], ',');
  if (place >= here.size()) throw Error("rank {} sent too few ports", first);
  return here[place];
}

// HOST:PORT of every rank, where its framework may listen. Collective.
std::vector<std::string> rendezvous(Group& group, const RunConfig& config) {
  const std::vector<std::string> networks = all_gather(group.control(), own_networks());
  const std::string host =
      group.nodes() == 1 ? "127.0.0.1" : own_address(group.roster(), config.interface, networks);
  return all_gather(group.control(), fmt::format("{}:{}", host, own_port(group)));
}

FrameworkJob job_of(const RunPlan& plan, Group& group, InputSource& input,
                    const NativeCheck& native) {
  const int steps = plan.facts.warmup_steps + plan.facts.timed_steps;
  std::vector<double> rates;
  for (int step = 0; step < steps; ++step) rates.push_back(plan.schedule.at(step));
  return {.graph = plan.graph,
          .batch = plan.facts.batch_size,
          .threads = plan.facts.threads,
          .warmup_steps = plan.facts.warmup_steps,
          .timed_steps = plan.facts.timed_steps,
          .values_seed = plan.first_values_seed,
          .dropout_seed = plan.engine_options.seed,
          .input = input,
          .optimizer = plan.optimizer,
          .learning_rates = std::move(rates),
          .device = plan.engine_options.device,
          .dtype = plan.config.dtype,
          .mode = find_framework(plan.config).mode,
          .communicates = plan.strategy->communicates,
          .check_steps = static_cast<int>(native.losses.size()),
          .check_learning_rate = native.learning_rate,
          .check_weight_decay = native.weight_decay,
          .rank = group.rank(),
          .size = group.control().size(),
          .local_rank = group.local_rank(),
          .addresses = rendezvous(group, plan.config)};
}

// A framework that computes alone gets as many cores as threads. Otherwise XLA, for example, would
// compute on its thread pool and, besides, on the calling thread. With other ranks, threads of
// communication need the worker's other cores, as those of the native engine do.
void limit_cores(const RunPlan& plan, Group& group) {
  if (group.control().size() > 1 || plan.engine_options.device != "cpu") return;
  group.use_cores(spread_cores(group.usable_cores(), plan.facts.threads));
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw Error("cannot write {}", path.string());
}

// In its place where it is there, beside what it may import; a host that lacks it gets a copy.
std::string place_of_script(const RunConfig& run, const std::filesystem::path& directory) {
  const std::filesystem::path given = run.framework;
  std::error_code error;
  if (std::filesystem::is_regular_file(given, error) &&
      read_regular_file(run.framework) == run.framework_script) {
    return run.framework;
  }
  const std::filesystem::path copy = directory / given.filename();
  write_text(copy, run.framework_script);
  return copy.string();
}

// The adapter and what all of them import. Not named like a module that a framework imports.
std::string write_adapter(const RunConfig& run, const std::filesystem::path& directory) {
  write_text(directory / "lockstep_job.py", shared_adapter_text());
  const FrameworkChoice choice = find_framework(run);
  if (!choice.script.empty()) return place_of_script(run, directory);
  const Framework& framework = *choice.framework;
  const std::filesystem::path path = directory / fmt::format("lockstep_{}.py", framework.name);
  write_text(path, adapter_text(framework));
  return path.string();
}

// Added to the environment of an adapter. What it compiles is of this run: else the first step of a
// later one would be shorter. A script of the user finds lockstep_job.py too. Gloo and
// NCCL would choose an interface by the host's name, which may lead nowhere.
std::map<std::string, std::string> environment_of(const GuardedDirectory& directory,
                                                  const FrameworkJob& job, const Context& context) {
  const auto theirs = context.environment("PYTHONPATH");
  std::map<std::string, std::string> added = {
      {"PYTHONPATH", directory.path().string() + (theirs && !theirs->empty() ? ":" + *theirs : "")},
      {"TMPDIR", directory.path().string()}};  // goes with what a killed framework leaves there
  const std::string& address = job.addresses[static_cast<size_t>(job.rank)];
  const std::string interface = interface_with(address.substr(0, address.rfind(':')));
  for (const char* variable : {"GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME"}) {
    if (!interface.empty() && !context.environment(variable)) added[variable] = interface;
  }
  for (const char* variable :
       {"TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "JAX_COMPILATION_CACHE_DIR"}) {
    if (!context.environment(variable)) added[variable] = directory.path() / "compiled";
  }
  for (const auto& [name, value] : kHugePages) {
    if (!context.environment(name)) added[name] = value;
  }
  return added;
}

void refuse_failure(const PlanOutcome& outcome, const Framework& framework,
                    const std::string& python) {
  if (outcome.end == RunEnd::Completed || outcome.end == RunEnd::Interrupted) return;
  std::string reason = outcome.why;
  for (const std::string& line : outcome.commands.front().last_lines) {
    if (line.find("Error") != std::string::npos) reason = line;  // Python names it last
  }
  const std::string hint = missing_module_hint(framework, python, reason);
  throw Error("{} failed: {}{}{}", framework.title, reason, hint.empty() ? "" : "; ", hint);
}

// Interrupted ranks may have recorded different numbers of steps. Collective.
void keep_common_steps(Group& group, std::vector<StepRecord>& steps) {
  std::vector<size_t> counts;
  for (const std::string& text : all_gather(group.control(), fmt::to_string(steps.size()))) {
    const auto rank = static_cast<int>(counts.size());
    counts.push_back(static_cast<size_t>(number_from_peer(rank, "its number of steps", text)));
  }
  steps.resize(std::min(steps.size(), *std::ranges::min_element(counts)));
}

// Collective: interrupted ranks may have recorded different numbers of steps.
WorkerReport report_of(const RunPlan& plan, Group& group, const FrameworkListener& listener,
                       TimePoint start) {
  std::vector<StepRecord> warmup, timed = listener.records(start);
  keep_common_steps(group, timed);
  const size_t warm = std::min(timed.size(), static_cast<size_t>(plan.facts.warmup_steps));
  warmup.assign(timed.begin(), timed.begin() + static_cast<std::ptrdiff_t>(warm));
  timed.erase(timed.begin(), timed.begin() + static_cast<std::ptrdiff_t>(warm));
  WorkerReport report;
  report.start = start;
  report.rank = {.rank = group.rank(),
                 .host = group.roster().members[static_cast<size_t>(group.rank())].host,
                 .cores = core_text(group.usable_cores()),
                 .threads = plan.facts.threads,
                 .total = {},
                 .peak_memory_bytes = listener.peak_memory_bytes(),
                 .warmup_steps = std::move(warmup),
                 .steps = std::move(timed),
                 .transfers = {}};
  for (const StepRecord& step : report.rank.steps) report.rank.total += step.duration;
  return report;
}

// The timed steps' part of what this host took while its framework ran.
void add_energy(WorkerReport& report, const EnergyTrace& energy) {
  report.reads_energy = true;
  report.joules = joules_of_steps(energy.samples(), report.rank.steps, report.start);
}

void add_numbers(RunResult& result, const RunPlan& plan, GatheredRun gathered) {
  const Seconds total = slowest_total(gathered.ranks);
  const std::optional<double> joules = gathered.joules;
  merge_ranks(result, std::move(gathered.ranks));
  if (result.status == RunStatus::Interrupted)
    result.facts.timed_steps = static_cast<int>(result.steps.size());
  if (result.steps.empty()) return;
  result.throughput = throughput_of(plan, result, total, {});
  result.summary = summarize(result.steps, result.throughput.total_images_per_second);
  if (joules && *joules > 0) result.energy = energy_of(result, *joules, {});
  result.path = critical_path_of(result);
  result.last_loss = result.steps.back().losses.base_loss;
}

}  // namespace

MeasuredRun measure_framework(const RunPlan& plan, Group& group, RunResult result,
                              Context& context) {
  const FrameworkChoice choice = find_framework(plan.config);
  const Framework& framework = *choice.framework;
  const ClockOffsets clocks = measure_clock_offsets(group.control());
  const TimePoint begin = Clock::now();
  // On every rank, or the others would wait for rank 0 until they take it for stalled.
  const GuardedDirectory directory(temporary_directory());
  const int checked = check_steps(plan.config);
  const NativeCheck native = checked > 0
                                 ? native_check(plan, input_share(group), checked, directory.path())
                                 : NativeCheck{};
  const Seconds native_time = Clock::now() - begin;
  limit_cores(plan, group);
  // The native engine bound this thread to one core, which the framework would inherit.
  const OnAllCores all_cores(group);
  const std::unique_ptr<InputSource> input = make_run_input(plan, input_share(group));
  const FrameworkJob job = job_of(plan, group, *input, native);
  const std::string job_file = write_framework_job(job, directory.path().string());
  const std::string python = python_for(framework, plan.config.python, context.environment);
  const Command command = {.name = std::string(framework.name),
                           .argv = {python, write_adapter(plan.config, directory.path()), job_file},
                           .env = environment_of(directory, job, context),
                           .listens = true};
  FrameworkListener listener(plan, native, group.rank(), context);
  FrameworkWatch watch(plan, group, listener);
  std::optional<EnergyTrace> energy;  // absent: another worker of this host has it
  if (group.local_rank() == 0) energy.emplace().start();
  const TimePoint start = Clock::now();
  const PlanOutcome outcome =
      run_commands(std::span(&command, 1),
                   {.time = Seconds(std::numeric_limits<double>::infinity()),
                    .silence = kLongSilence,
                    .stopped = Seconds(plan.config.stall_timeout) + kMoreThanWatch},
                   {.line = [&](const OutputLine& line) { return listener.hear(line); },
                    .poll = [&] { return watch.poll(); },
                    .messages = [&] { return watch.messages(); },
                    .legacy = directory.path().string()});
  if (energy) energy->stop();
  refuse_failure(outcome, framework, python);
  if (outcome.end == RunEnd::Completed) {
    if (choice.script.empty() && checked > 0) listener.require_check();
    listener.require_all();
  }
  watch.wait_for_all();
  WorkerReport report = report_of(plan, group, listener, start);
  if (energy) add_energy(report, *energy);
  GatheredRun gathered = gather_run(group, clocks, std::move(report));
  result.status =
      outcome.end == RunEnd::Interrupted ? RunStatus::Interrupted : RunStatus::Completed;
  if (group.rank() > 0) return {std::move(result), {}};
  listener.describe(result, watch.mode());
  if (const auto first_step = listener.begin()) {
    const Seconds before = *first_step - context.start;
    result.setup_seconds = (before - native_time - listener.aside()).count();
  }
  add_numbers(result, plan, std::move(gathered));
  return {std::move(result), {}};
}

}  // namespace lockstep
