#include "base/scratch_directory.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace lockstep {

std::filesystem::path temporary_directory() {
  namespace fs = std::filesystem;
  std::error_code none;
  for (const fs::path& path :
       {fs::temp_directory_path(none), fs::path("/tmp"), fs::current_path(none)}) {
    if (fs::is_directory(path, none) && access(path.c_str(), W_OK | X_OK) == 0) return path;
  }
  throw UsageError(
      "no directory for temporary files: neither /tmp nor the working directory is writable; set "
      "TMPDIR");
}

ScratchDirectory::ScratchDirectory(const std::filesystem::path& inside) {
  std::string name = (inside / "lockstep-XXXXXX").string();
  if (!mkdtemp(name.data())) {
    throw Error("cannot create a directory in {}: {}", inside.string(), std::strerror(errno));
  }
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace lockstep
