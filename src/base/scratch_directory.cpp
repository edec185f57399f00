#include "base/scratch_directory.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace lockstep {

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
