// interrupt.h: Ctrl-C ends a run after the step that it is in; pressed again, it ends the program.
#pragma once

namespace lockstep {

// Catches SIGINT and SIGTERM (a batch system's time limit) while it lives. One at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  bool interrupted() const;
};

}  // namespace lockstep
