// interrupt_rule.h: decides whether a signal is a new request to stop, the same one again, or means
// "at once".
//
// One request often arrives as several signals: timeout(1) signals its child and then its process
// group, a batch system signals every process of a job, and mpirun and srun pass on what their
// ranks were sent already. A terminal sends one SIGINT for each Ctrl-C, so two are two requests.
#pragma once

#include <optional>

#include "base/time.h"

namespace lockstep {

struct SignalArrival {
  int number = 0;  // SIGINT, SIGTERM or SIGUSR1
  TimePoint time{};
  bool from_terminal = false;  // the terminal driver sent it (Ctrl-C), and not kill(2)
  bool launcher_died = false;  // the launcher that started this process is gone
};

class InterruptRule {
 public:
  static constexpr Seconds kSameRequest{2};  // after the first signal of a request

  enum class Meaning {
    Request,  // stop in good order
    Repeat,   // the request that is known already
    AtOnce    // end the program
  };
  Meaning judge(const SignalArrival& signal);

  // The request so far is done with. Its late signals are still a Repeat.
  void start_over() { pending_ = false; }

 private:
  bool is_late_repeat(const SignalArrival& signal) const;

  std::optional<TimePoint> first_;  // signal of the last request
  bool pending_ = false;
  bool terminal_asked_ = false;  // the last request includes a Ctrl-C
};

}  // namespace lockstep
