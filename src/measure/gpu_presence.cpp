#include "measure/gpu_presence.h"

#include <fmt/format.h>

#include "base/text.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// Files of the directory that are called like this and a number.
int count_numbered(const fs::path& directory, std::string_view stem) {
  int count = 0;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(directory, none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(stem) && whole_number(name.substr(stem.size()))) ++count;
  }
  return count;
}

}  // namespace

std::string GpuPresence::text() const {
  return fmt::format("{} {} GPU{}", count, vendor, count == 1 ? "" : "s");
}

GpuPresence gpus_present(const fs::path& devices) {
  const int nvidia = count_numbered(devices, "nvidia");
  if (nvidia > 0) return {"NVIDIA", nvidia};
  if (fs::exists(devices / "kfd")) return {"AMD", count_numbered(devices / "dri", "renderD")};
  return {};
}

}  // namespace lockstep
