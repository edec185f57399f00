// output_log.h: the file that keeps everything one command writes, as it was written.
#pragma once

#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace lockstep {

class OutputLog {
 public:
  // Makes `directory` if need be, and the file anew. Throws Error when that fails. An empty
  // directory keeps nothing.
  OutputLog(const std::string& directory, const std::string& command_name);

  // A full disk ends the file, not the run.
  void add(std::string_view bytes);
  const std::string& trouble() const { return trouble_; }  // what ended it; empty: nothing has

 private:
  FileDescriptor file_;
  std::string trouble_;
};

// "rank 0 (node1.internal)" -> "rank-0-node1.internal": nothing in it can lead out of a directory,
// and no shell minds it.
std::string plain_name(const std::string& name);

}  // namespace lockstep
