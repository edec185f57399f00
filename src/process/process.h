// process.h: one running child process, from its start until it has been reaped.
//
// The child leads a process group of its own, so that whatever it starts can be ended with it; it
// has no terminal to ask anything on (an ssh that wants a password fails, where it would be stopped
// in the background of one), its output comes through two pipes, and it inherits no other file. It
// may be given a file to read, or a line to listen on that ends when this process does.
// A signal tells it when the thread that started it is gone, and again when another thread that it
// was left to is.
#pragma once

#include <sys/types.h>

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
  // Throws Error, naming the program and the reason, when it cannot be started.
  explicit Process(const Command& command);
  Process(Process&&) noexcept = default;
  Process& operator=(Process&&) = delete;
  ~Process();  // ends the group, without mercy, and reaps

  pid_t group() const { return pid_; }
  // For poll(): readable when the process has ended.
  int ended_descriptor() const { return pidfd_.number(); }
  FileDescriptor& out() { return out_; }  // never block; may reach their end long before the
  FileDescriptor& err() { return err_; }  // process does

  // To one that listens; nothing happens when it no longer does.
  void tell(const std::string& text) const;
  void signal_group(int signal) const;
  // Absent while it runs. Once it has ended, whatever is left of its group is killed.
  std::optional<ExitStatus> try_reap();

 private:
  void reap(bool wait);

  FileDescriptor pidfd_, in_, out_, err_;
  pid_t pid_ = 0;
  std::optional<ExitStatus> status_;
};

}  // namespace lockstep
