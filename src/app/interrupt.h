// interrupt.h: Ctrl-C ends a run after the step that it is in; pressed again, it ends the program.
#pragma once

namespace lockstep {

// Catches SIGINT, SIGTERM (a batch system's time limit) and SIGUSR1 (which mpirun and srun pass on
// to all processes) while it lives. One at a time.
class InterruptWatch {
 public:
  // `reply`: what the signal writes to stderr; text that lives as long.
  explicit InterruptWatch(const char* reply = "");
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  bool interrupted() const;
};

}  // namespace lockstep
