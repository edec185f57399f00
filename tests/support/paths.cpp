#include "support/paths.h"

#include <fmt/format.h>

namespace lockstep {

std::string lockstep_program() { return LOCKSTEP_PROGRAM; }

std::string project_path(std::string_view name) {
  return fmt::format("{}/{}", LOCKSTEP_SOURCE_DIR, name);
}

std::string fake_nvml_path() { return LOCKSTEP_FAKE_NVML; }

std::string framework_python(std::string_view framework) {
  return fmt::format("{}/{}/bin/python3", LOCKSTEP_FRAMEWORKS_DIR, framework);
}

}  // namespace lockstep
