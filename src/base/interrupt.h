// interrupt.h: Ctrl-C ends a run after the step that it is in; pressed again, it ends the program.
// interrupt_rule.h says which signals count as "again".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "base/time.h"

namespace lockstep {

using Now = std::function<TimePoint()>;

// Waits in a thread of its own for SIGINT, SIGTERM (a batch system's time limit) and SIGUSR1 (which
// mpirun and srun pass on to all processes); threads that are started while it lives never get one.
// Nothing is ever handled on the stack of a computing thread: oneDNN's matrix kernels keep an
// address of data in the stack pointer, and the frame of a handler would be written over the data.
class SignalThread {
 public:
  explicit SignalThread(Now now = Clock::now);
  ~SignalThread();
  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;

 private:
  std::thread thread_;
};

// Remembers a signal instead of ending the program by it; a second request (interrupt_rule.h) still
// ends it. Needs a SignalThread. One at a time.
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

// What the signal that ends the program writes to stderr before. One at a time.
class LastWords {
 public:
  struct Words {
    std::string text;
    std::optional<int> exit_code;
  };

  explicit LastWords(std::string text);
  // Only where there was no InterruptWatch yet; the program then exits with this code.
  LastWords(std::string text, int exit_code);
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

 private:
  Words words_;
};

}  // namespace lockstep
