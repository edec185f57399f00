#include "measure/gpu_presence.h"

#include <fmt/format.h>

#include <fstream>

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

constexpr std::string_view kAmd = "0x1002", kIntel = "0x8086";

// Render nodes of this vendor. A desktop has some of a graphics card beside those that compute.
int count_render_nodes(const fs::path& root, std::string_view vendor) {
  int count = 0;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(root / "dev/dri", none)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("renderD")) continue;
    std::string found;
    std::ifstream(root / "sys/class/drm" / name / "device/vendor") >> found;
    if (found == vendor) ++count;
  }
  return count;
}

}  // namespace

std::string GpuPresence::text() const {
  return fmt::format("{} {} GPU{}", count, vendor, count == 1 ? "" : "s");
}

GpuPresence gpus_present(const fs::path& root) {
  if (const int nvidia = count_numbered(root / "dev", "nvidia")) return {"NVIDIA", nvidia};
  const int amd = fs::exists(root / "dev/kfd") ? count_render_nodes(root, kAmd) : 0;
  if (amd > 0) return {"AMD", amd};
  if (const int intel = count_render_nodes(root, kIntel)) {
    return {.vendor = "Intel", .count = intel, .device = "xpu", .graphics_perhaps = true};
  }
  return {};
}

}  // namespace lockstep
