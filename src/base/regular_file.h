// regular_file.h: reads a whole file, and never waits or reads without end.
//
// A named pipe blocks its reader until somebody writes, a device may never end, and a file may be
// larger than the memory. On a server a link may also lead to what its readers are not to see. A
// file that can start commands must not be another user's.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"

namespace lockstep {

struct FileRules {
  int64_t most_bytes = int64_t{1} << 30;
  bool pipes = false;       // also reads a pipe, such as <(command) of a shell
  Seconds for_a_writer{5};  // of a pipe, to open it
  bool links = true;        // follows a link of this name
  bool own = false;  // refuses a file that a user other than this one and root owns or may write
};

// Throws UsageError with path and reason.
std::string read_regular_file(const std::string& path, const FileRules& rules = {});

}  // namespace lockstep
