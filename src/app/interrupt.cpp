#include "app/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <set>

namespace lockstep {
namespace {

// Signals belong to the process, and so does what is known of them.
std::atomic<const char*> answer = nullptr;  // null: nobody watches
std::atomic<bool> caught = false, over = false;

sigset_t signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&set, signal);
  return set;
}

void end_program_by(int signal) {
  std::signal(signal, SIG_DFL);
  const sigset_t set = signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
}

void wait_for_signals() {
  std::set<int> seen;  // while somebody watches
  for (const sigset_t set = signals();;) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0) continue;
    if (over) return;
    // One wish may come by two ways: from the group, and passed on by mpirun or srun.
    if (signal == SIGUSR1 && caught) continue;
    const char* reply = answer;
    if (!caught) seen.clear();
    if (!reply || !seen.insert(signal).second) end_program_by(signal);
    caught = true;
    if (write(STDERR_FILENO, reply, std::strlen(reply)) < 0) continue;  // nobody to tell
  }
}

}  // namespace

SignalThread::SignalThread() {
  const sigset_t set = signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread(wait_for_signals);
}

SignalThread::~SignalThread() {
  over = true;
  pthread_kill(thread_.native_handle(), SIGUSR1);
  thread_.join();
}

InterruptWatch::InterruptWatch(const char* reply, Afterwards afterwards) : afterwards_(afterwards) {
  caught = false;
  answer = reply;
}

InterruptWatch::~InterruptWatch() {
  if (afterwards_ == Afterwards::Ends) answer = nullptr;
}

bool InterruptWatch::interrupted() const { return caught; }

}  // namespace lockstep
