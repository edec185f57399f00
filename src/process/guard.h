// guard.h: a small process that outlives this one just long enough to end what it has started.
//
// Nobody can clean up after being killed, and the death signal that children ask for reaches only
// them, not what they have started. So the guard holds one end of a socket. It is told which
// process groups run; when the other end closes without a farewell, this process is gone, and the
// guard ends the groups: first politely, so that programs such as mpirun can end their own
// children. It may also be left a directory to remove at last.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/file_descriptor.h"

namespace lockstep {

class Guard {
 public:
  static constexpr int kMostGroups = 4096;

  // Throws Error when the process cannot be made.
  explicit Guard(const std::string& legacy = "");
  ~Guard();  // says farewell, and reaps
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  void watch(pid_t group);
  void forget(pid_t group);  // it has ended: its number may soon be another's

 private:
  void tell(pid_t word) const;

  FileDescriptor ours_;
  pid_t pid_ = 0;
};

}  // namespace lockstep
