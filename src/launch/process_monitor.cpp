// process_monitor.cpp: processes on this machine, or those that mpirun and srun pass on the lines of.
#include <ostream>
#include <utility>

#include "launch/output_relay.h"
#include "base/interrupt.h"
#include "launch/run_monitor.h"
#include "base/error.h"

namespace lockstep {
namespace {

// After rank 0's last words. When another rank has died, that of MPI may wait for it for ever.
constexpr Seconds kForTheEnd{30};

class ProcessTalk : public Talk {
 public:
  ProcessTalk(Context& context, const LaunchPlan& plan, const RunConfig& run)
      : context_(context),
        plan_(plan),
        verbose_(run.verbose),
        audience_(context, plan.processes, run) {}

  Next hear(const OutputLine& line) override {
    if (plan_.tag == LineTag::None) {
      audience_.hear(static_cast<int>(line.command), line.text, line.from_stderr);
    } else if (const auto tagged = tagged_line(plan_.tag, line.text, line.from_stderr)) {
      audience_.hear(tagged->rank, tagged->text, tagged->from_stderr);
    } else {
      audience_.hear_starter(plan_.commands[line.command].name, line.text);
    }
    return Next::GoOn;
  }

  std::vector<Letter> letters() override { return {}; }
  Next poll() override {
    if (!interrupts_.interrupted()) return Next::GoOn;
    const bool asked = std::exchange(asked_to_stop_, true);
    if (asked && audience_.since_interruption() > kForTheEnd) throw Error("a process hangs");
    return Next::Stop;
  }

  int exit_code(const PlanOutcome& outcome) override {
    if (outcome.end == RunEnd::Interrupted) {
      audience_.tell_of_interruption();
      return kInterrupted;
    }
    if (outcome.end == RunEnd::Completed) return kSuccess;
    if (plan_.tag == LineTag::None) {
      explain(outcome);
    } else {
      audience_.explain();
    }
    audience_.keep("launcher", outcome.why);
    context_.err << "lockstep: " << outcome.why << "; the run was ended\n";
    const auto& status = outcome.commands[outcome.culprit].status;
    const bool told = outcome.end == RunEnd::Failed && status && !status->by_signal;
    return told ? code_of_run(status->code) : kFailure;
  }

 private:
  // It is known which of them failed first.
  void explain(const PlanOutcome& outcome) {
    if (outcome.culprit == 0 || verbose_) return;
    for (const std::string& text : outcome.commands[outcome.culprit].last_lines) {
      context_.err << "[" << plan_.commands[outcome.culprit].name << "] " << text << "\n";
    }
  }

  Context& context_;
  const LaunchPlan& plan_;
  bool verbose_;
  Audience audience_;
  InterruptWatch interrupts_;
  bool asked_to_stop_ = false;
};

}  // namespace

std::unique_ptr<Talk> talk_with_processes(Context& context, const LaunchPlan& plan,
                                          const RunConfig& run) {
  return std::make_unique<ProcessTalk>(context, plan, run);
}

}  // namespace lockstep
