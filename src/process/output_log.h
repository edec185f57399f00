// output_log.h: the log file of one command: all its output, each line with the time when it came.
#pragma once

#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace lockstep {

class OutputLog {
 public:
  // Creates `directory` if needed and truncates the file. Throws Error on failure. Empty
  // directory: nothing is logged.
  OutputLog(const std::string& directory, const std::string& command_name);

  // A full disk ends the log, not the run. The time is that of this machine, in UTC:
  // "2026-01-31T14:25:01.123456Z ".
  void add(std::string_view bytes);
  const std::string& trouble() const { return trouble_; }  // why it ended; empty: it has not

 private:
  void write_bytes(std::string_view bytes);

  FileDescriptor file_;
  bool at_start_of_line_ = true;
  std::string trouble_;
};

// "rank 0 (node1.internal)" -> "rank-0-node1.internal": no path separators,
// no shell characters.
std::string plain_name(const std::string& name);

}  // namespace lockstep
