#include "base/interrupt.h"

#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/interrupt_rule.h"

namespace lockstep {
namespace {

// Signals belong to the process, and so does what is known of them.
std::atomic<const char*> answer = nullptr;  // null: no InterruptWatch exists
std::atomic<bool> caught = false, over = false;
std::mutex last_words_lock;
const LastWords::Words* last_words = nullptr;

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

// Words with an exit code are meant for the time before anything watches for signals.
void say_last_words() {
  const std::lock_guard lock(last_words_lock);
  if (!last_words || (last_words->exit_code && answer.load())) return;
  say(last_words->text);
  if (last_words->exit_code) _exit(*last_words->exit_code);
}

void end_program_by(int signal) {
  say_last_words();
  std::signal(signal, SIG_DFL);
  const sigset_t set = signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
}

// The parent, if it is a launcher of ours that wants this process to end with it (process.cpp).
pid_t launcher_of_this_process() {
  int at_its_death = 0;
  prctl(PR_GET_PDEATHSIG, &at_its_death);
  return at_its_death != 0 ? getppid() : 0;
}

void wait_for_signals(const Now& now, pid_t launcher) {
  InterruptRule rule;
  for (const sigset_t set = signals();;) {
    siginfo_t info = {};
    const int signal = sigwaitinfo(&set, &info);
    if (signal < 0) continue;
    if (over) return;
    const char* reply = answer;
    if (!caught) rule.start_over();
    const auto meaning = rule.judge({.number = signal,
                                     .time = now(),
                                     .from_terminal = info.si_code == SI_KERNEL,
                                     .launcher_died = launcher != 0 && getppid() != launcher});
    if (meaning == InterruptRule::Meaning::Repeat) continue;
    if (!reply || meaning == InterruptRule::Meaning::AtOnce) end_program_by(signal);
    caught = true;
    say(reply);
  }
}

}  // namespace

SignalThread::SignalThread(Now now) {
  const sigset_t set = signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread(wait_for_signals, std::move(now), launcher_of_this_process());
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

LastWords::LastWords(std::string text) : words_{.text = std::move(text), .exit_code = {}} {
  const std::lock_guard lock(last_words_lock);
  last_words = &words_;
}

LastWords::LastWords(std::string text, int exit_code)
    : words_{.text = std::move(text), .exit_code = exit_code} {
  const std::lock_guard lock(last_words_lock);
  last_words = &words_;
}

LastWords::~LastWords() {
  const std::lock_guard lock(last_words_lock);
  last_words = nullptr;
}

}  // namespace lockstep
