#include "process/process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace lockstep {
namespace {

struct Pipe {
  FileDescriptor read, write;
};

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot create a pipe: {}", std::strerror(errno));
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// The stdin of the child, and our end of it if the child listens.
struct Input {
  FileDescriptor read, write;
};

Input make_input(const Command& command) {
  if (command.listens) {
    int ends[2];  // a socket, because writing to a closed one raises no signal
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
      throw Error("cannot create a socket: {}", std::strerror(errno));
    }
    return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  }
  const std::string path = command.input_file.empty() ? "/dev/null" : command.input_file;
  Input input = {FileDescriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC)), {}};
  if (!input.read.is_open()) throw Error("cannot read {}: {}", path, std::strerror(errno));
  return input;
}

// Everything that the child needs between fork and exec, where it must not allocate.
struct Start {
  std::vector<std::string> environment;
  std::vector<char*> argv, envp;
  std::string path, directory;
  pid_t parent = getpid();
  int orphan_signal = 0;
  int in = -1, out = -1, err = -1, failure = -1;
};

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) result.push_back(text);
  }
  for (const auto& [name, value] : added) result.push_back(fmt::format("{}={}", name, value));
  return result;
}

std::string search_path(const std::vector<std::string>& environment) {
  for (const std::string& entry : environment) {
    if (entry.starts_with("PATH=")) return entry.substr(5);
  }
  return "/usr/local/bin:/usr/bin:/bin";
}

// Searches PATH like a shell. A name with a slash is a path relative to the working directory of
// the command.
std::string program_path(const Command& command, const std::vector<std::string>& environment) {
  const std::string& name = command.argv.front();
  if (name.find('/') != std::string::npos) return name;
  const std::string path = search_path(environment);
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    const std::string candidate =
        (end == begin ? "." : path.substr(begin, end - begin)) + "/" + name;
    std::error_code ignored;
    if (access(candidate.c_str(), X_OK) == 0 &&
        std::filesystem::is_regular_file(candidate, ignored)) {
      return candidate;
    }
    begin = end + 1;
  }
  throw Error("cannot start {}: program '{}' not found on PATH", command.name, name);
}

enum class Stage : int { Directory, Program };
struct Failure {
  Stage stage;
  int error;
};

[[noreturn]] void give_up(const Start& start, Stage stage) {
  const Failure failure = {stage, errno};
  [[maybe_unused]] const ssize_t written = write(start.failure, &failure, sizeof failure);
  _exit(127);
}

// Runs in the child: only calls that are safe after fork() with threads.
[[noreturn]] void become(const Start& start) {
  setsid();
  prctl(PR_SET_PDEATHSIG, start.orphan_signal);
  if (getppid() != start.parent) _exit(127);  // the parent died before the line above
  dup2(start.in, STDIN_FILENO);
  dup2(start.out, STDOUT_FILENO);
  dup2(start.err, STDERR_FILENO);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGHUP, SIGCHLD, SIGUSR1}) {
    std::signal(signal, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (!start.directory.empty() && chdir(start.directory.c_str()) != 0) {
    give_up(start, Stage::Directory);
  }
  execve(start.path.c_str(), start.argv.data(), start.envp.data());
  give_up(start, Stage::Program);
}

// The pipe closes if exec succeeds; otherwise it carries the reason.
void check_started(const Command& command, const FileDescriptor& failures) {
  Failure failure;
  ssize_t count;
  do {
    count = read(failures.number(), &failure, sizeof failure);
  } while (count < 0 && errno == EINTR);
  if (count != sizeof failure) return;
  const std::string& what =
      failure.stage == Stage::Directory ? command.directory : command.argv.front();
  throw Error("cannot start {}: {}: {}", command.name, what, std::strerror(failure.error));
}

// glibc 2.36 declares pidfd_open() for C only.
FileDescriptor open_pidfd(pid_t pid) {
  return FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

void never_block(const FileDescriptor& file) {
  fcntl(file.number(), F_SETFL, fcntl(file.number(), F_GETFL) | O_NONBLOCK);
}

}  // namespace

std::string words_for(ExitStatus status) {
  if (!status.by_signal) return fmt::format("exit code {}", status.code);
  return fmt::format("signal {} ({})", status.code, strsignal(status.code));
}

Process::Process(const Command& command) {
  Input input = make_input(command);
  Pipe out = make_pipe(), err = make_pipe(), failures = make_pipe();
  Start start;
  start.environment = environment_with(command.env);
  start.path = program_path(command, start.environment);
  start.directory = command.directory;
  start.orphan_signal = command.orphan_signal;
  start.argv = pointers_to(command.argv);
  start.envp = pointers_to(start.environment);
  start.in = input.read.number();
  start.out = out.write.number();
  start.err = err.write.number();
  start.failure = failures.write.number();

  pid_ = fork();
  if (pid_ < 0) throw Error("cannot start {}: {}", command.name, std::strerror(errno));
  if (pid_ == 0) become(start);
  pidfd_ = open_pidfd(pid_);
  failures.write.reset();
  try {
    check_started(command, failures.read);
    if (!pidfd_.is_open()) throw Error("cannot watch {}: {}", command.name, std::strerror(errno));
  } catch (const Error&) {  // the destructor does not run if the constructor throws
    signal_group(SIGKILL);
    reap(/*wait=*/true);
    throw;
  }
  in_ = std::move(input.write);
  if (!command.input_file.empty()) input_file_ = std::move(input.read);
  out_ = std::move(out.read);
  err_ = std::move(err.read);
  never_block(out_);
  never_block(err_);
}

Process::~Process() {
  if (!pidfd_.is_open() || status_) return;  // moved from, or done
  signal_group(SIGKILL);
  reap(/*wait=*/true);
}

int64_t Process::input_read() const {
  if (!input_file_.is_open()) return 0;
  return lseek(input_file_.number(), 0, SEEK_CUR);  // shared with the child
}

void Process::tell(const std::string& text) const {
  std::string_view rest = text;
  while (in_.is_open() && !rest.empty()) {
    const ssize_t count = send(in_.number(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) rest.remove_prefix(static_cast<size_t>(count));
  }
}

void Process::signal_group(int signal) const {
  if (!status_) kill(-pid_, signal);  // its id cannot be reused before it is reaped
}

bool Process::is_stopped() const {
  siginfo_t info = {};
  const int options = WSTOPPED | WNOWAIT | WNOHANG;
  return !status_ && waitid(P_PID, static_cast<id_t>(pid_), &info, options) == 0 &&
         info.si_pid == pid_;
}

std::optional<ExitStatus> Process::try_reap() {
  if (!status_) reap(/*wait=*/false);
  return status_;
}

void Process::reap(bool wait) {
  siginfo_t info = {};
  const int options = WEXITED | WNOWAIT | (wait ? 0 : WNOHANG);
  while (waitid(P_PID, static_cast<id_t>(pid_), &info, options) != 0) {
    if (errno != EINTR) return;
  }
  if (info.si_pid == 0) return;  // still running
  signal_group(SIGKILL);         // processes that it left behind
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  status_ = WIFEXITED(status) ? ExitStatus{false, WEXITSTATUS(status)}
                              : ExitStatus{true, WTERMSIG(status)};
}

}  // namespace lockstep
