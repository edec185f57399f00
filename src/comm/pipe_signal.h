// pipe_signal.h: keeps SIGPIPE away from calls into libraries that write to sockets without
// MSG_NOSIGNAL.
//
// A write to a peer that has just died raises SIGPIPE, whose default is to end this process without
// a word. While the scope lives, the calling thread and the threads that it starts get EPIPE
// instead. How the process itself treats the signal stays as it is: that belongs to the program,
// and an ignored signal would be handed on to every program that it starts.
#pragma once

#include <signal.h>

namespace lockstep {

class WithoutPipeSignal {
 public:
  WithoutPipeSignal();
  ~WithoutPipeSignal();  // one that came meanwhile is discarded
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  sigset_t before_;
};

}  // namespace lockstep
