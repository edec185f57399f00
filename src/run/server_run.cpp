#include "run/server_run.h"

#include <fmt/ranges.h>

#include <ostream>

#include "base/exit_code.h"
#include "base/interrupt.h"
#include "base/run_event.h"
#include "base/text.h"
#include "base/version.h"
#include "report/render/console.h"
#include "report/render/run_header.h"
#include "run/group.h"
#include "run/run_plan.h"
#include "sync/server.h"

namespace lockstep {
namespace {

// Where the server tells what happens.
class ServerOutput {
 public:
  ServerOutput(Context& context, const RunConfig& config, int index)
      : context_(context), config_(config), index_(index) {}

  void say(const std::string& line) {
    if (by_hand()) {
      context_.out << line << "\n" << std::flush;
    } else {
      report_log_line(context_, fmt::format("Parameter server {}: {}", index_, line),
                      config_.verbose);
    }
  }
  bool by_hand() const { return started_by_hand(config_); }

 private:
  Context& context_;
  const RunConfig& config_;
  int index_;
};

std::string header_of(RunContext& context, const RunConfig& config, const Roles& roles) {
  const RunPlan plan = plan_run(config, context.engines, roles.workers);
  RunResult started;
  started.program_version = program_version();
  started.config = config;
  started.facts = plan.facts;
  started.facts.servers = roles.servers;
  started.host = read_host();
  return header_text(started, plan.epochs);
}

std::string connected_line(const Group& group) {
  std::vector<std::string> workers;
  for (int rank = 0; rank < group.roles().workers; ++rank) {
    workers.push_back(fmt::format("{} ({})", name_of(group.roles(), rank),
                                  group.roster().members[static_cast<size_t>(rank)].host));
  }
  return fmt::format("Connected: {}", fmt::join(workers, ", "));
}

}  // namespace

int serve(RunContext& context, const RunConfig& config, const RankIdentity& identity,
          const Roles& roles) {
  const int index = identity.rank - roles.workers;
  ServerOutput output(context, config, index);
  if (output.by_hand()) context.out << header_of(context, config, roles) << std::flush;
  output.say(output.by_hand() ? fmt::format("Running parameter server {}", index) : "running");
  std::optional<LastWords> setting_up;
  if (output.by_hand()) {
    setting_up.emplace("lockstep: interrupted before its workers were there\n", kInterrupted);
    context.err << waiting_line(identity, roles) << "\n" << std::flush;
  }
  Group group(identity, roles, config);
  const auto everyone = group.connect_everyone(kServersName);
  output.say(connected_line(group));
  setting_up.reset();
  // Workers handle an interrupt themselves. Before this point a signal ends all processes.
  const InterruptWatch until_the_workers_end(
      output.by_hand() ? "lockstep: stops when its workers stop; Ctrl-C again stops it at once\n"
                       : "",
      InterruptWatch::Afterwards::Nothing);
  int64_t last = 0;
  bool interrupted = false;
  const auto progress = [&](int64_t updates) {
    last = updates;
    if (is_shown(config, static_cast<int>(updates))) output.say(count_text(updates, "update"));
  };
  run_server(*everyone, {.progress = progress,
                         .end = [&] { interrupted = group.told(kInterruptedKey).has_value(); },
                         .stall_timeout = Seconds(config.stall_timeout),
                         .gone = [&] { return group.gone_workers(); },
                         .who = [&](int rank) { return group.roster().who(rank); }});
  output.say(fmt::format("{} after {}",
                         interrupted ? "The workers were interrupted" : "All workers are done",
                         count_text(last, "update")));
  // To mpirun, a rank that ends with another code than 0 has failed.
  return interrupted && output.by_hand() ? kInterrupted : kSuccess;
}

}  // namespace lockstep
