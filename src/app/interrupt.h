// interrupt.h: Ctrl-C ends a run after the step that it is in; pressed again, it ends the program.
#pragma once

namespace lockstep {

// Catches SIGINT, SIGTERM (a batch system's time limit) and SIGUSR1 (which mpirun and srun pass on
// to all processes) while it lives. One at a time.
class InterruptWatch {
 public:
  // What a signal does when the watch is over.
  enum class Afterwards {
    Ends,    // the program
    Nothing  // the first one. Workers are signalled one by one and stop together: the signal of one
             // may come when it has stopped already, and its death would look like a failure.
  };
  // `reply`: what the signal writes to stderr; text that is always there.
  explicit InterruptWatch(const char* reply = "", Afterwards afterwards = Afterwards::Ends);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  bool interrupted() const;

 private:
  Afterwards afterwards_;
};

}  // namespace lockstep
