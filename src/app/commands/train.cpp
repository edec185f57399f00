// train.cpp: `lockstep train`: measures one run. Depending on options and environment, this
// process is the launcher, a worker or a parameter server of the run.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <ostream>

#include "app/command_line.h"
#include "app/device_choice.h"
#include "app/options.h"
#include "app/other_program.h"
#include "app/own_log.h"
#include "app/python_names.h"
#include "app/result_on_stdout.h"
#include "app/tf_flags.h"
#include "base/error.h"
#include "base/text.h"
#include "config/run_arguments.h"
#include "doctor/check_hosts.h"
#include "external/measure_program.h"
#include "framework/frameworks.h"
#include "launch/launch.h"
#include "launch/launchers.h"
#include "nn/description/network_file.h"
#include "run/complete_config.h"
#include "run/run_input.h"
#include "run/run_outputs.h"
#include "run/server_run.h"
#include "run/worker.h"

namespace lockstep {
namespace {

void note(const std::vector<std::string>& notes, std::ostream& err) {
  for (const std::string& line : notes) err << "note: " << line << "\n";
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
                 .check_hosts = host_check(config)},
                placement);
}

struct Request {
  RunConfig config;
  IgnoredFlags ignored;
  GivenOptions given;
  bool per_host = false;      // --num-devices was given
  std::string gpu_note = {};  // about --device auto or gpu; empty: none
};

int train(RunContext& context, Request request) {
  RunConfig& config = request.config;
  check_python_names(config.python);
  if (!config.program.empty()) {
    note(request.ignored.notes(), context.err);
    return train_external(context, config);
  }
  const RankIdentity identity = find_identity(config, context.environment);
  const bool by_hand = !config.job_name.empty();
  if (infer_strategy(config) && (identity.rank == 0 || by_hand)) {
    context.err << "note: --ps-hosts implies --variable-update parameter_server\n";
  }
  const std::vector<std::string> notes = complete_config(config, request.given);
  if (identity.rank == 0) {
    note(request.ignored.notes(), context.err);
    if (!request.gpu_note.empty()) note({request.gpu_note}, context.err);
    note(notes, context.err);
  }
  const bool launches = wants_launcher(config, identity.rendezvous == Rendezvous::None);
  if (!launches || !only_workers_see(config.data_dir, config, context)) {
    infer_data_name(config, identity.rank == 0 ? &context.err : nullptr);
  }
  if (launches) {
    return launch_train(context, config, request.per_host ? PerHost::AsGiven : PerHost::AsSlots);
  }
  const Roles roles = roles_of(config, identity);
  const auto take_part = [&](RunContext& streams) {
    return roles.is_server(identity.rank) ? serve(streams, config, identity, roles)
                                          : work(streams, config, identity, roles);
  };
  // Our launcher keeps the logs of those that it starts.
  const bool logs = !config.log_dir.empty() && identity.rendezvous != Rendezvous::Store;
  return logs ? with_own_log(context, config, identity.rank, take_part) : take_part(context);
}

}  // namespace

int train_command(RunContext& context, std::span<const std::string> arguments) {
  Request request;
  RunConfig& config = request.config;
  config.engine = context.engines.front().name;
  CommandSyntax syntax = {.command = "train",
                          .summary = "Trains one network and measures the speed.",
                          .flags = run_flags(config)};
  bool engine_given = false;
  DeviceWish wish = DeviceWish::Auto;
  hear_device(syntax.flags, wish);
  hear_dtype(syntax.flags);
  note_given(syntax.flags, "num-devices", request.per_host);
  note_given(syntax.flags, "engine", engine_given);
  note_given(syntax.flags, "model", request.given.model);
  bool json = false;
  syntax.flags.push_back(result_as_json_flag(&json));
  std::ranges::move(tf_only_flags(request.ignored), std::back_inserter(syntax.flags));
  if (answered(context, syntax, arguments)) return kSuccess;
  if (json) choose_stdout(config.result);
  load_network(config);
  load_script(config);
  request.gpu_note = resolve_device(config, context, wish, engine_given);
  const auto other = program_elsewhere(context.engines, config.engine);
  if (other && config.program.empty()) become(*other, context, "train", arguments);
  if (config.result != "-") return train(context, std::move(request));
  return with_result_on_stdout(context, config, [&](RunContext& redirected) {
    return train(redirected, std::move(request));
  });
}

}  // namespace lockstep
