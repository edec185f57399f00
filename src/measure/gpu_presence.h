// gpu_presence.h: whether this machine has GPUs, without any of their libraries.
#pragma once

#include <filesystem>
#include <string>

namespace lockstep {

struct GpuPresence {
  std::string vendor;  // "NVIDIA"
  int count = 0;
  std::string device = "cuda";    // of --device
  bool graphics_perhaps = false;  // of a desktop: perhaps nothing can compute there

  std::string text() const;  // "8 NVIDIA GPUs"
};

// By the device files that the drivers make. `root` is where dev and sys are found.
GpuPresence gpus_present(const std::filesystem::path& root = "/");

}  // namespace lockstep
