// interrupt.h: Ctrl-C ends a run after the step that it is in; pressed again, it ends the program.
#pragma once

#include <thread>

namespace lockstep {

// Waits in a thread of its own for SIGINT, SIGTERM (a batch system's time limit) and SIGUSR1 (which
// mpirun and srun pass on to all processes); threads that are started while it lives never get one.
// Nothing is ever handled on the stack of a computing thread: oneDNN's matrix kernels keep an
// address of data in the stack pointer, and the frame of a handler would be written over the data.
class SignalThread {
 public:
  SignalThread();
  ~SignalThread();
  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;

 private:
  std::thread thread_;
};

// Remembers a signal instead of ending the program by it; SIGINT or SIGTERM, sent again, still ends
// it. Needs a SignalThread. One at a time.
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
