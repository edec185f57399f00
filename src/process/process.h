// process.h: one running child process, from its start until it has been reaped.
//
// The child leads a process group of its own, so that its descendants can be ended with it. It has
// no terminal: an ssh that asks for a password fails instead of being stopped. Its output comes
// through two pipes, and it inherits no other file. Its stdin is empty, a file, or a socket that
// ends when this process does. It gets a signal when the thread that started it ends, and again
// when a thread that adopted it ends.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "base/file_descriptor.h"
#include "process/command.h"

namespace lockstep {

struct ExitStatus {
  bool by_signal = false;
  int code = 0;  // exit code, or number of the signal
};

std::string words_for(ExitStatus status);  // "exit code 3", "signal 9 (Killed)"

class Process {
 public:
  // Throws Error with program and reason if it cannot be started.
  explicit Process(const Command& command);
  Process(Process&&) noexcept = default;
  Process& operator=(Process&&) = delete;
  ~Process();  // kills the group and reaps

  pid_t group() const { return pid_; }
  // For poll(): readable when the process has ended.
  int ended_descriptor() const { return pidfd_.number(); }
  FileDescriptor& out() { return out_; }  // non-blocking; may reach end of file before
  FileDescriptor& err() { return err_; }  // the process ends

  // How much of its input file it has read; 0 without one.
  int64_t input_read() const;
  // Writes to the stdin of a command that listens; ignored if it is closed.
  void tell(const std::string& text) const;
  void signal_group(int signal) const;
  bool is_stopped() const;  // by a signal such as SIGSTOP
  // Absent while it runs. When it has ended, the rest of its group is killed.
  std::optional<ExitStatus> try_reap();

 private:
  void reap(bool wait);

  FileDescriptor pidfd_, in_, input_file_, out_, err_;
  pid_t pid_ = 0;
  std::optional<ExitStatus> status_;
};

}  // namespace lockstep
