#include "process/guard.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr pid_t kFarewell = 0;  // positive: watch that group; negative: forget it
// Grace periods: a busy machine needs time to cancel a job or to end ranks on other hosts.
constexpr timespec kTurn = {.tv_sec = 0, .tv_nsec = 50'000'000};
constexpr int kTurnsUntilAsked = 100, kTurnsUntilKilled = 100, kTurnsUntilGone = 20;

constexpr int kTurnsUntilStopped = 10;

struct GuardDuty {
  const char* legacy;
  pid_t parent;
  const char* parent_stat;    // its file in /proc
  int turn_milliseconds = 0;  // between looks whether it is stopped; 0: never
};

// All code below runs in the guard: only calls that are safe after fork() with threads.

struct Groups {
  pid_t group[Guard::kMostGroups];
  int count = 0;

  void add(pid_t added) {
    if (count < Guard::kMostGroups) group[count++] = added;
  }
  void remove(pid_t removed) {
    for (int i = 0; i < count; ++i) {
      if (group[i] == removed) group[i--] = group[--count];
    }
  }
  void signal(int number) const {
    for (int i = 0; i < count; ++i) kill(-group[i], number);
  }
  bool some_live() const {
    for (int i = 0; i < count; ++i) {
      if (kill(-group[i], 0) == 0) return true;
    }
    return false;
  }
};

void wait_for(const Groups& groups, int turns) {
  for (int turn = 0; turn < turns && groups.some_live(); ++turn) nanosleep(&kTurn, nullptr);
}

// Each group leader got its parent-death signal (process.cpp). Groups that end because of it are
// left alone.
[[noreturn]] void end_all(const Groups& groups, const char* legacy) {
  wait_for(groups, kTurnsUntilAsked);
  groups.signal(SIGTERM);
  wait_for(groups, kTurnsUntilKilled);
  groups.signal(SIGKILL);
  wait_for(groups, kTurnsUntilGone);
  if (*legacy != '\0') execl("/bin/rm", "rm", "-rf", "--", legacy, nullptr);
  _exit(0);
}

// /proc/PID/stat: number, name in brackets (which may hold brackets), state.
bool is_stopped(const char* stat_file) {
  char text[512];
  const int file = open(stat_file, O_RDONLY | O_CLOEXEC);
  const ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  text[count > 0 ? count : 0] = '\0';
  const char* bracket = strrchr(text, ')');
  return bracket && strncmp(bracket, ") T", 3) == 0;
}

// Until there is a message. Kills the parent if it is stopped for too long: then the socket ends.
void wait_for_word(const GuardDuty& duty) {
  int turns = 0;
  for (pollfd word = {STDIN_FILENO, POLLIN, 0}; poll(&word, 1, duty.turn_milliseconds) == 0;) {
    turns = is_stopped(duty.parent_stat) ? turns + 1 : 0;
    if (turns >= kTurnsUntilStopped) kill(duty.parent, SIGKILL);
  }
}

[[noreturn]] void stand_guard(int socket, const GuardDuty& duty) {
  sigset_t all;  // ignores signals that ask the other processes to stop
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  setsid();  // Ctrl-C and a closing terminal are not for the guard
  dup2(socket, STDIN_FILENO);
  close_range(1, ~0U, 0);  // readers of our output must see its end
  prctl(PR_SET_NAME, "lockstep-guard");
  Groups groups;
  for (;;) {
    if (duty.turn_milliseconds > 0) wait_for_word(duty);
    pid_t word = 0;
    const ssize_t count = read(STDIN_FILENO, &word, sizeof word);
    if (count < 0 && errno == EINTR) continue;
    if (count != sizeof word) end_all(groups, duty.legacy);
    if (word == kFarewell) _exit(0);
    if (word > 0) {
      groups.add(word);
    } else {
      groups.remove(-word);
    }
  }
}

}  // namespace

Guard::Guard(const std::string& legacy, std::optional<Seconds> longest_stop) {
  const std::string stat_file = fmt::format("/proc/{}/stat", getpid());
  GuardDuty duty = {.legacy = legacy.c_str(), .parent = getpid(), .parent_stat = stat_file.c_str()};
  if (longest_stop) {
    const double turn = longest_stop->count() * 1000 / kTurnsUntilStopped;
    duty.turn_milliseconds = std::max(1, static_cast<int>(turn));
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw Error("cannot create a socket pair: {}", std::strerror(errno));
  }
  const FileDescriptor theirs(ends[0]);
  ours_ = FileDescriptor(ends[1]);
  pid_ = fork();
  if (pid_ < 0) throw Error("cannot start a process: {}", std::strerror(errno));
  if (pid_ == 0) stand_guard(theirs.number(), duty);
}

Guard::~Guard() {
  tell(kFarewell);
  kill(pid_, SIGCONT);  // somebody may have stopped it
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Guard::watch(pid_t group) { tell(group); }
void Guard::forget(pid_t group) { tell(-group); }

void Guard::tell(pid_t word) const {
  // No SIGPIPE if the guard was killed.
  while (send(ours_.number(), &word, sizeof word, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

}  // namespace lockstep
