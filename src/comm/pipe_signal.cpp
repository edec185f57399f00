#include "comm/pipe_signal.h"

#include <ctime>

namespace lockstep {
namespace {

sigset_t pipe_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return set;
}

}  // namespace

WithoutPipeSignal::WithoutPipeSignal() {
  const sigset_t pipe = pipe_signal();
  pthread_sigmask(SIG_BLOCK, &pipe, &before_);
}

WithoutPipeSignal::~WithoutPipeSignal() {
  if (sigismember(&before_, SIGPIPE) == 1) return;  // an outer scope takes care
  const sigset_t pipe = pipe_signal();
  constexpr timespec kNoWait{};
  while (sigtimedwait(&pipe, nullptr, &kNoWait) == SIGPIPE) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace lockstep
