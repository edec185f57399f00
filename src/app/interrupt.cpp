#include "app/interrupt.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <initializer_list>

namespace lockstep {
namespace {

// The only things that a signal handler may read and write are globals.
volatile std::sig_atomic_t caught = 0;
const char* volatile answer = "";

void remember(int) {
  const int error = errno;  // of what was going on
  caught = 1;
  [[maybe_unused]] const ssize_t told = write(STDERR_FILENO, answer, std::strlen(answer));
  errno = error;
}

void handle_with(void (*handler)(int), int flags, std::initializer_list<int> signals) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  for (const int signal : signals) sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptWatch::InterruptWatch(const char* reply, Afterwards afterwards) : afterwards_(afterwards) {
  caught = 0;
  answer = reply;
  handle_with(remember, static_cast<int>(SA_RESETHAND), {SIGINT, SIGTERM});  // the second one kills
  // One wish may come by two ways: from the group, and passed on by mpirun or srun.
  handle_with(remember, 0, {SIGUSR1});
}

// Handlers, unlike signals that are ignored, are not passed on to programs that are started.
InterruptWatch::~InterruptWatch() {
  if (afterwards_ == Afterwards::Ends) handle_with(SIG_DFL, 0, {SIGINT, SIGTERM, SIGUSR1});
}

bool InterruptWatch::interrupted() const { return caught != 0; }

}  // namespace lockstep
