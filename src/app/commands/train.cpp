// train.cpp: `lockstep train`: measures one run. Depending on options and environment, this
// process is the launcher, a worker or a parameter server of the run.
#include <fmt/ranges.h>

#include <filesystem>
#include <ostream>

#include "app/foreign_flags.h"
#include "app/options.h"
#include "app/other_program.h"
#include "base/error.h"
#include "config/run_arguments.h"
#include "doctor/check_hosts.h"
#include "external/measure_program.h"
#include "launch/launch.h"
#include "launch/launchers.h"
#include "run/run_input.h"
#include "run/run_outputs.h"
#include "run/worker.h"

namespace lockstep {
namespace {

void note_ignored(const KnownArguments& known, std::ostream& err) {
  if (known.ignored.empty()) return;
  err << fmt::format("note: ignored (no effect in lockstep): {}\n", fmt::join(known.ignored, ", "));
}

// Refused flags are problems like any other: all are reported at once.
Parsed parse_known(const CommandSyntax& syntax, const KnownArguments& known) {
  std::vector<std::string> problems = known.refused;
  Parsed parsed = Parsed::Options;
  try {
    parsed = parse(syntax, known.arguments);
  } catch (const UsageError& error) {  // its lines are reported with the others
    problems.emplace_back(error.what());
  }
  const bool helped = parsed == Parsed::Help;
  if (!helped && !problems.empty()) throw UsageError("{}", fmt::join(problems, "\n"));
  return parsed;
}

// A directory that does not exist here may exist on the workers' hosts: they check it themselves.
bool only_workers_see(const std::string& directory, const RunConfig& config,
                      const Context& context) {
  return runs_elsewhere(config, context.environment) && !std::filesystem::is_directory(directory);
}

// Finds every problem that can be found before any process is started.
int launch_train(RunContext& context, const RunConfig& config, PerHost per_host) {
  const RankPlacement placement = place_run(config, per_host, context);
  const int processes = static_cast<int>(placement.ranks.size());
  const Roles roles = roles_of(config, {.rendezvous = Rendezvous::Store, .size = processes});
  plan_run(config, context.engines, roles.workers);
  if (!config.dry_run) {
    check_outputs(config);
    if (launcher_for(config, placement.in_allocation).here) check_directories(config);
  }
  return launch(context,
                {.command = "train",
                 .name = config.model,
                 .run = config,
                 .arguments = train_arguments,
                 .check_hosts = check_hosts},
                placement);
}

}  // namespace

int train_command(RunContext& context, std::span<const std::string> arguments) {
  RunConfig config;
  config.engine = context.engines.front().name;
  CommandSyntax syntax = {.command = "train",
                          .summary = "Trains one network and measures the speed.",
                          .flags = run_flags(config)};
  bool per_host = false;
  note_given(syntax.flags, "num-devices", per_host);
  const KnownArguments known = without_foreign_flags(arguments);
  if (parse_known(syntax, known) == Parsed::Help) {
    context.out << help_text(syntax);
    return kSuccess;
  }
  const auto other = program_elsewhere(context.engines, config.engine);
  if (other && config.program.empty()) become(*other, context, "train", arguments);
  if (!config.program.empty()) {
    note_ignored(known, context.err);
    return train_external(context, config);
  }
  const RankIdentity identity = find_identity(config, context.environment);
  if (infer_strategy(config) && identity.rank == 0) {
    context.err << "note: --ps-hosts implies --variable-update parameter_server\n";
  }
  if (identity.rank == 0) note_ignored(known, context.err);
  const bool launches = wants_launcher(config, identity.rendezvous == Rendezvous::None);
  if (!launches || !only_workers_see(config.data_dir, config, context)) {
    infer_data_name(config, identity.rank == 0 ? &context.err : nullptr);
  }
  if (launches) {
    return launch_train(context, config, per_host ? PerHost::AsGiven : PerHost::AsSlots);
  }
  const Roles roles = roles_of(config, identity);
  if (!config.log_dir.empty() && identity.rendezvous != Rendezvous::Store) {
    throw UsageError("--log-dir: only a launcher writes logs, and this process starts no others");
  }
  return roles.is_server(identity.rank) ? serve(config, identity, roles)
                                        : work(context, config, identity, roles);
}

}  // namespace lockstep
