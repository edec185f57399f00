#include "app/launch_workers.h"

#include <fmt/format.h>

#include <limits>
#include <ostream>

#include "app/interrupt.h"
#include "comm/store_server.h"
#include "launch/local.h"
#include "launch/run_commands.h"
#include "measure/host.h"

namespace lockstep {
namespace {

constexpr Seconds kLongSteps{300};  // an interrupted run ends with the step that it is in

std::vector<Command> plan(const Surroundings& around, const LaunchedJob& job,
                          const StoreServer& store, const std::string& token) {
  LocalJob local = {.argv = {around.program, job.command},
                    .processes = job.processes,
                    .host = read_host().name,
                    .environment = {{kSizeVariable, fmt::to_string(job.processes)},
                                    {kStoreVariable, fmt::format("127.0.0.1:{}", store.port())},
                                    {kTokenVariable, token}},
                    .rank_variable = kRankVariable};
  local.argv.insert(local.argv.end(), job.arguments.begin(), job.arguments.end());
  return plan_local(local);
}

// Rank 0 speaks for the run; the others are heard with --verbose.
class Audience {
 public:
  Audience(Surroundings& around, std::span<const Command> plan, bool verbose)
      : around_(around), plan_(plan), verbose_(verbose) {}

  Next line(const OutputLine& line) {
    if (line.command == 0) {
      (line.from_stderr ? around_.err : around_.out) << line.text << "\n" << std::flush;
    } else if (verbose_) {
      around_.err << "[" << plan_[line.command].name << "] " << line.text << "\n" << std::flush;
    }
    return Next::GoOn;
  }

  void explain(const PlanOutcome& outcome) {
    if (outcome.end != RunEnd::Failed) return;
    if (outcome.culprit != 0 && !verbose_) {
      for (const std::string& text : outcome.commands[outcome.culprit].last_lines) {
        around_.err << "[" << plan_[outcome.culprit].name << "] " << text << "\n";
      }
    }
    around_.err << "lockstep: " << outcome.why << "; the run was ended\n";
  }

 private:
  Surroundings& around_;
  std::span<const Command> plan_;
  bool verbose_;
};

int exit_code(const PlanOutcome& outcome) {
  if (outcome.end == RunEnd::Interrupted) return kInterrupted;
  return outcome.end == RunEnd::Completed ? kSuccess : kFailure;
}

}  // namespace

int launch_workers(Surroundings& around, const LaunchedJob& job) {
  const std::string token = random_token();
  const StoreServer store({.endpoint = {"127.0.0.1", 0}, .token = token, .keeper = "the launcher"});
  const std::vector<Command> commands = plan(around, job, store, token);
  Audience audience(around, commands, job.verbose);
  const InterruptWatch interrupts;
  const RunLimits limits = {.time = Seconds(std::numeric_limits<double>::infinity()),
                            .interrupted_grace = kLongSteps};
  const PlanOutcome outcome =
      run_commands(commands, limits,
                   {.line = [&](const OutputLine& line) { return audience.line(line); },
                    .poll = [&] { return interrupts.interrupted() ? Next::Stop : Next::GoOn; },
                    .log_directory = job.log_dir});
  audience.explain(outcome);
  return exit_code(outcome);
}

}  // namespace lockstep
