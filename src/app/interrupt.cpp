#include "app/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <initializer_list>

namespace lockstep {
namespace {

// The only things that a signal handler may read and write are globals.
volatile std::sig_atomic_t caught = 0;
const char* volatile answer = "";

void remember(int) {
  caught = 1;
  if (write(STDERR_FILENO, answer, std::strlen(answer)) < 0) return;  // nobody to tell
}

void handle_with(void (*handler)(int), int flags, std::initializer_list<int> signals) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  for (const int signal : signals) sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptWatch::InterruptWatch(const char* reply) {
  caught = 0;
  answer = reply;
  handle_with(remember, static_cast<int>(SA_RESETHAND), {SIGINT, SIGTERM});  // the second one kills
  // One wish may come by two ways: from the group, and passed on by mpirun or srun.
  handle_with(remember, 0, {SIGUSR1});
}

InterruptWatch::~InterruptWatch() { handle_with(SIG_DFL, 0, {SIGINT, SIGTERM, SIGUSR1}); }

bool InterruptWatch::interrupted() const { return caught != 0; }

}  // namespace lockstep
