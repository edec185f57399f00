// guard.h: a small process that cleans up the children of this process if it is killed.
//
// A killed process cannot clean up, and the parent-death signal reaches only children, not
// grandchildren. So the guard holds one end of a socket and is told which process groups run. If
// the other end closes without a farewell, this process is dead, and the guard ends the groups:
// first with SIGTERM, so that programs such as mpirun can end their own children, then with
// SIGKILL. Last it removes the directory `legacy`, if one is given.
//
// A process that is stopped (SIGSTOP) cannot clean up either. Where nobody would continue it, the
// guard kills it after `longest_stop`.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/file_descriptor.h"
#include "base/time.h"

namespace lockstep {

class Guard {
 public:
  static constexpr int kMostGroups = 4096;

  // Throws Error if the process cannot be started.
  explicit Guard(const std::string& legacy = "", std::optional<Seconds> longest_stop = {});
  ~Guard();  // sends the farewell and reaps the guard
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  void watch(pid_t group);
  void forget(pid_t group);  // it has ended: its id may be reused

 private:
  void tell(pid_t word) const;

  FileDescriptor ours_;
  pid_t pid_ = 0;
};

}  // namespace lockstep
