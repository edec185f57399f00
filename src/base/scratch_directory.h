// scratch_directory.h: a new directory, which is removed with its object.
#pragma once

#include <filesystem>

namespace lockstep {

// Where temporary files may be written: TMPDIR, /tmp or the working directory. Throws UsageError.
std::filesystem::path temporary_directory();

class ScratchDirectory {
 public:
  // Throws Error when none can be created there.
  explicit ScratchDirectory(const std::filesystem::path& inside);
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace lockstep
