// guarded_directory.h: a directory for temporary files that goes with this process, however it
// ends.
#pragma once

#include <filesystem>

#include "base/scratch_directory.h"
#include "process/guard.h"

namespace lockstep {

class GuardedDirectory {
 public:
  // Throws Error when none can be created there.
  explicit GuardedDirectory(const std::filesystem::path& inside) : directory_(inside) {}

  const std::filesystem::path& path() const { return directory_.path(); }

 private:
  ScratchDirectory directory_;
  Guard guard_{path().string()};  // removes it if this process is killed
};

}  // namespace lockstep
