// train.cpp: `lockstep train`: measures one run. Depending on where it finds itself, this process
// is the launcher, a worker or a parameter server of it.
#include <fmt/ranges.h>

#include <ostream>

#include "app/external.h"
#include "app/foreign_flags.h"
#include "app/launch_hosts.h"
#include "app/launch_workers.h"
#include "app/options.h"
#include "app/other_program.h"
#include "app/outputs.h"
#include "app/run_input.h"
#include "app/worker.h"
#include "base/error.h"

namespace lockstep {
namespace {

void note_passed_over(const KnownArguments& known, std::ostream& err) {
  if (known.passed_over.empty()) return;
  err << fmt::format("note: nothing to set here: {}\n", fmt::join(known.passed_over, ", "));
}

// Everything that can be known to be wrong is found here, before any process is started.
int launch(Surroundings& around, const RunConfig& config, const Roles& roles,
           std::span<const std::string> arguments) {
  plan_run(config, around.engines, {.workers = roles.workers});
  check_outputs(config);
  if (!config.hosts.empty()) return launch_hosts(around, config);
  return launch_workers(around, {.command = "train",
                                 .arguments = arguments,
                                 .processes = roles.processes(),
                                 .verbose = config.verbose,
                                 .log_dir = config.log_dir});
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
  if (!config.program.empty()) {
    note_passed_over(known, around.err);
    return train_external(around, config);
  }
  const Place place = find_place(config, around.environment);
  if (settle_strategy(config) && place.rank == 0) {
    around.err << "note: --ps-hosts: --variable-update parameter_server\n";
  }
  const Roles roles = roles_of(config, place);
  if (place.rank == 0) note_passed_over(known, around.err);
  settle_data_name(config, place.rank == 0 ? &around.err : nullptr);
  const bool several = roles.processes() > 1 || !config.hosts.empty();
  if (place.meeting == Meeting::Nobody && several) {
    return launch(around, config, roles, known.arguments);
  }
  if (!config.log_dir.empty() && place.meeting != Meeting::Store) {
    throw UsageError("--log-dir keeps what the processes of a run print, and this one starts none");
  }
  return roles.is_server(place.rank) ? serve(config, place, roles)
                                     : work(around, config, place, roles);
}

}  // namespace lockstep
