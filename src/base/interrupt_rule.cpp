#include "base/interrupt_rule.h"

#include <csignal>

namespace lockstep {

InterruptRule::Meaning InterruptRule::judge(const SignalArrival& signal) {
  const bool terminal = signal.from_terminal && signal.number == SIGINT;
  if (!pending_) {
    if (is_late_repeat(signal)) return Meaning::Repeat;
    first_ = signal.time;
    pending_ = true;
    terminal_asked_ = terminal;
    return Meaning::Request;
  }
  if (signal.number == SIGUSR1) return Meaning::Repeat;  // only ever passed on
  // A launcher that was ended at once takes its processes with it.
  if (signal.launcher_died || (terminal && terminal_asked_)) return Meaning::AtOnce;
  terminal_asked_ = terminal_asked_ || terminal;
  return signal.time - *first_ >= kSameRequest ? Meaning::AtOnce : Meaning::Repeat;
}

bool InterruptRule::is_late_repeat(const SignalArrival& signal) const {
  const bool is_new = signal.launcher_died || (signal.from_terminal && terminal_asked_);
  return first_ && !is_new && signal.time - *first_ < kSameRequest;
}

}  // namespace lockstep
