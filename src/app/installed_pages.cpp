#include "app/installed_pages.h"

#include <filesystem>

namespace lockstep {

std::string directory_of_pages(const std::string& program) {
  namespace fs = std::filesystem;
  // From libexec/lockstep of a bundle, bin of a package, and build of a clone.
  for (const char* place :
       {"../../share/doc/lockstep/docs", "../share/doc/lockstep/docs", "../docs"}) {
    std::error_code none;
    const fs::path pages = (fs::path(program).parent_path() / place).lexically_normal();
    if (fs::exists(pages / "networks.md", none)) return pages.string();
  }
  return "";
}

}  // namespace lockstep
