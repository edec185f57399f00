// selftest.cpp: `lockstep selftest`: does this machine, or do these hosts, compute right?
//
// Like allreduce, this process is the launcher of the ranks, or one of them. With --part, which
// ranks use, it tests one set of vector instructions and prints rows as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <ostream>

#include "app/command_line.h"
#include "app/flags.h"
#include "app/other_program.h"
#include "app/program.h"
#include "app/taken_flags.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/regular_file.h"
#include "config/json_text.h"
#include "doctor/check_hosts.h"
#include "launch/launch.h"
#include "measure/gpu.h"
#include "process/guarded_directory.h"
#include "report/render/output_lines.h"
#include "run/rank/rank_device.h"
#include "run/run_input.h"
#include "selftest/fault.h"
#include "selftest/self_test.h"

namespace lockstep {
namespace {

struct Request {
  SelfTestOptions options;
  bool workers_given = false, json = false;
  std::string bundle;
};

constexpr TakenFlag kTakenFlags[] = {
    {"device", "device to test; GPUs require --engine torch"},
    {"engine", "engine to test"},
    {"gpu-indices"},
    {"num-devices", "ranks on this machine, or on each host [one for each GPU, else 2]"},
    {"interface"},
    {"stall-timeout"},
    {"launcher"},
    {"hosts"},
    {"nodes", "use the first N hosts"},
    {"remote-dir"},
    {"ssh-option"},
    {"mpirun-option"},
    {"log-dir"},
    {"dry-run"},
};

Flag hidden(Flag flag) {
  flag.hidden = true;
  return flag;
}

CommandSyntax syntax_for(Request& request) {
  SelfTestOptions& options = request.options;
  CommandSyntax syntax = {
      .command = "selftest",
      .summary = "Tests that every core and device computes and communicates right.",
      .flags = {
          switch_flag("json", "print the report as JSON", &request.json),
          text_flag({"bundle", "DIR", "new directory for the files to attach to a report",
                     &request.bundle}),
          number_flag({"passes",
                       "times that every operation is computed on every core",
                       &options.passes,
                       {1, 1'000'000}}),
          text_flag({"inject-fault", "HOST:CORE:OPERATION",
                     "flip one bit of this result, to see that it is found", &options.fault}),
          hidden(text_flag({"part", "NAME", "", &options.part})),
          hidden({.name = "part-cores",
                  .value_name = "LIST",
                  .help = "",
                  .set = [&options](
                             const std::string& text) { options.part_cores = parse_cores(text); }}),
          hidden(text_flag({"result", "FILE", "", &options.run.result}))}};
  std::ranges::move(taken_flags(options.run, kTakenFlags), std::back_inserter(syntax.flags));
  std::ranges::find(syntax.flags, "num-devices", &Flag::name)->default_text = "";  // in the help
  note_given(syntax.flags, "num-devices", request.workers_given);
  return syntax;
}

std::vector<std::string> arguments_for(const SelfTestOptions& options, const RunConfig& run) {
  std::vector<std::string> words = {fmt::format("--passes={}", options.passes),
                                    "--inject-fault=" + options.fault, "--result=" + run.result};
  std::ranges::move(taken_arguments(run, kTakenFlags), std::back_inserter(words));
  return words;
}

// The engine of this device, which may be in another program.
void choose_engine(SelfTestOptions& options, const RunContext& context,
                   std::span<const std::string> arguments) {
  RunConfig& run = options.run;
  for (const EngineKind& engine : context.engines) {
    const bool fits = run.device == "cpu" || !engine.only_cpu;
    if (run.engine.empty() && fits) run.engine = engine.name;
  }
  if (const auto other = program_elsewhere(context.engines, run.engine)) {
    become(*other, context, "selftest", arguments);
  }
  if (run.device != "cpu" && find_engine(context.engines, run.engine).only_cpu) {
    throw UsageError("--device {}: --engine {} supports cpu only; leave --engine out", run.device,
                     run.engine);
  }
}

int default_ranks(const RunConfig& run, const RunContext& context) {
  if (run.device == "cpu") return 2;
  const std::unique_ptr<GpuLibrary> gpus = open_gpus();
  const WorkerView view = visible_gpus(gpus.get(), context.environment);
  if (view.knows_gpus) return std::max(static_cast<int>(view.gpus.size()), 1);
  const EngineKind& engine = find_engine(context.engines, run.engine);
  const auto found = engine.accelerators ? engine.accelerators() : std::nullopt;
  return found ? found->count : 1;
}

int present(RunContext& context, const Request& request, const SelfTestReport& report) {
  if (request.json) {
    context.out << json_text(report_json(report, context.provenance), 1) << "\n";
  } else {
    context.out << rows_text(report.rows)
                << fmt::format("{} checks in {:.0f} s: {}\n", report.rows.size(), report.seconds,
                               failed(report.rows) ? "failed" : "passed");
  }
  if (!request.bundle.empty()) {
    write_bundle(request.bundle, report, context.provenance);
    context.err << fmt::format("files to attach to a report: {}\n", request.bundle);
  }
  if (!failed(report.rows)) return kSuccess;
  context.out << std::flush;
  context.err << "lockstep: " << failure_text(report.rows) << "\n";
  return kFailure;
}

int launch_ranks(RunContext& context, Request& request) {
  RunConfig& run = request.options.run;
  // A process on another node shares the working directory with us, but no temporary files.
  const bool elsewhere = runs_elsewhere(run, context.environment);
  const GuardedDirectory directory(elsewhere ? std::filesystem::current_path()
                                             : temporary_directory());
  run.result = (directory.path() / kStdoutResult).string();  // nobody need hear of it
  const RankPlacement placement =
      place_run(run, request.workers_given ? PerHost::AsGiven : PerHost::AsSlots, context);
  const auto arguments = [&](const RunConfig& theirs) {
    return arguments_for(request.options, theirs);
  };
  RunContext told = with_out(context, run.dry_run ? context.out : context.err);
  const int code = launch(told,
                          {.command = "selftest",
                           .name = "selftest",
                           .run = run,
                           .arguments = arguments,
                           .check_hosts = host_check(run)},
                          placement);
  if (code != kSuccess || run.dry_run) return code;
  SelfTestReport report = self_test_report_in(read_regular_file(run.result));
  report.seconds = seconds_since(context.start).count();
  return present(context, request, report);
}

int test_as_rank(RunContext& context, Request& request, const RankIdentity& identity) {
  SelfTestOptions& options = request.options;
  Group group(identity, roles_of(options.run, identity), options.run);
  const bool mpi = identity.rendezvous == Rendezvous::Mpi;
  const SelfTestReport report = test_everything(context, options, group, mpi);
  const int code = group.rank() > 0 || !options.run.result.empty()
                       ? kSuccess
                       : present(context, request, report);
  if (group.rank() == 0 && !options.run.result.empty()) {
    write_whole_file(options.run.result, json_text(report_json(report, context.provenance)));
  }
  group.control().barrier();  // mpirun ends all ranks with the first that fails
  return code;
}

}  // namespace

int selftest_command(RunContext& context, std::span<const std::string> arguments) {
  Request request;
  SelfTestOptions& options = request.options;
  options.run.variable_update = "replicated";  // ranks are workers only
  options.run.engine = "";
  options.run.stall_timeout = 300;  // a rank waits for the slowest host
  const CommandSyntax syntax = syntax_for(request);
  if (answered(context, syntax, arguments)) return kSuccess;
  parse_fault(options.fault);
  if (!request.bundle.empty()) check_bundle(request.bundle);
  choose_engine(options, context, arguments);
  if (!options.part.empty()) {
    context.out << json_text(rows_json(test_part(context, options))) << "\n";
    return kSuccess;
  }
  const RankIdentity identity = find_identity(options.run, context.environment);
  if (identity.rendezvous != Rendezvous::None) return test_as_rank(context, request, identity);
  if (!request.workers_given) {
    options.run.num_devices = default_ranks(options.run, context);
  }
  if (options.run.hosts.empty() && options.run.num_devices == 1) {
    return test_as_rank(context, request, identity);
  }
  return launch_ranks(context, request);
}

}  // namespace lockstep
