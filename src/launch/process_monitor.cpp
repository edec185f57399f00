// process_monitor.cpp: monitors processes on this machine, and those of mpirun and srun through
// their output.
#include <ostream>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "launch/output_relay.h"
#include "launch/run_monitor.h"

namespace lockstep {
namespace {

// After rank 0's last message. If another rank died, an MPI rank may wait for it forever.
constexpr Seconds kForTheEnd{30};
// After the first rank failed.
constexpr Seconds kForTheOthers{20};

class ProcessMonitor : public RunMonitor {
 public:
  ProcessMonitor(Context& context, const LaunchPlan& plan, const RunConfig& run)
      : context_(context),
        plan_(plan),
        verbose_(run.verbose),
        relay_(context, plan.processes, run) {}

  Next hear(const OutputLine& line) override {
    if (plan_.tag == LineTag::None) {
      relay_.hear(static_cast<int>(line.command), line.text, line.from_stderr);
    } else if (const auto tagged = tagged_line(plan_.tag, line.text, line.from_stderr)) {
      relay_.hear(tagged->rank, tagged->text, tagged->from_stderr);
    } else {
      relay_.hear_starter(plan_.commands[line.command].name, line.text);
    }
    return Next::Continue;
  }

  std::vector<StdinMessage> messages() override { return {}; }
  Next poll() override {
    end_after_failure();
    if (!interrupts_.interrupted()) return Next::Continue;
    const bool asked = std::exchange(asked_to_stop_, true);
    if (asked && relay_.since_interruption() > kForTheEnd) throw Error("a process does not exit");
    return Next::Stop;
  }

  int exit_code(const PlanOutcome& outcome) override {
    if (outcome.end == RunEnd::Interrupted) {
      relay_.tell_of_interruption();
      return kInterrupted;
    }
    if (outcome.end == RunEnd::Completed) return kSuccess;
    if (plan_.tag == LineTag::None) {
      explain(outcome);
    } else {
      relay_.explain();
    }
    relay_.keep("launcher", outcome.why);
    context_.err << "lockstep: " << outcome.why << "; run stopped\n";
    const bool ranks_known = plan_.tag == LineTag::None && outcome.end == RunEnd::Failed;
    relay_.report_failure(
        ranks_known ? std::optional(static_cast<int>(outcome.culprit)) : std::nullopt, outcome.why);
    const auto& status = outcome.commands[outcome.culprit].status;
    const bool told = outcome.end == RunEnd::Failed && status && !status->by_signal;
    return told ? code_of_run(status->code) : kFailure;
  }

 private:
  // srun waits for every rank, also for one that hangs or is stopped. Rank 0 gets time to write
  // its result.
  void end_after_failure() {
    if (plan_.tag != LineTag::Slurm || !relay_.since_failure()) return;
    if (*relay_.since_failure() < kForTheOthers) return;
    relay_.explain();
    relay_.report_failure(std::nullopt, relay_.first_failure());
    throw Error("{}; run stopped", relay_.first_failure());
  }

  // Shows the last lines of the process that failed first.
  void explain(const PlanOutcome& outcome) {
    if (outcome.culprit == 0 || verbose_) return;
    for (const std::string& text : outcome.commands[outcome.culprit].last_lines) {
      if (parse_event_line(text)) continue;
      context_.err << "[" << plan_.commands[outcome.culprit].name << "] " << text << "\n";
    }
  }

  Context& context_;
  const LaunchPlan& plan_;
  bool verbose_;
  OutputRelay relay_;
  InterruptWatch interrupts_;
  bool asked_to_stop_ = false;
};

}  // namespace

std::unique_ptr<RunMonitor> monitor_processes(Context& context, const LaunchPlan& plan,
                                              const RunConfig& run) {
  return std::make_unique<ProcessMonitor>(context, plan, run);
}

}  // namespace lockstep
