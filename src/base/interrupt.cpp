#include "base/interrupt.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

namespace lockstep {
namespace {

// Signals belong to the process, and so does what is known of them.
std::atomic<const char*> answer = nullptr;  // null: no InterruptWatch exists
std::atomic<bool> caught = false, over = false;
std::mutex last_words_lock;
const std::string* last_words = nullptr;

sigset_t signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&set, signal);
  return set;
}

// Only at once: a terminal that is held (Ctrl-S), or a pipe that nobody reads, keeps no program
// from its end.
void say(std::string_view text) {
  pollfd stderr_takes_it = {.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (text.empty() || poll(&stderr_takes_it, 1, 0) <= 0) return;
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

void say_last_words() {
  const std::lock_guard lock(last_words_lock);
  if (last_words) say(*last_words);
}

void end_program_by(int signal) {
  say_last_words();
  std::signal(signal, SIG_DFL);
  const sigset_t set = signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
}

void wait_for_signals() {
  std::set<int> seen;  // while an InterruptWatch exists
  for (const sigset_t set = signals();;) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0) continue;
    if (over) return;
    // One interrupt may arrive twice: from the process group, and forwarded by mpirun or srun.
    if (signal == SIGUSR1 && caught) continue;
    const char* reply = answer;
    if (!caught) seen.clear();
    if (!reply || !seen.insert(signal).second) end_program_by(signal);
    caught = true;
    say(reply);
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

LastWords::LastWords(std::string text) : text_(std::move(text)) {
  const std::lock_guard lock(last_words_lock);
  last_words = &text_;
}

LastWords::~LastWords() {
  const std::lock_guard lock(last_words_lock);
  last_words = nullptr;
}

}  // namespace lockstep
