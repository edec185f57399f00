// torch.cpp: the engines of the program lockstep-torch.
#include <cpuid.h>

#include <cstdlib>

#include "app/own_engines.h"
#include "engine/native/fma_peak.h"
#include "engine/torch/product_speed.h"
#include "engine/torch/torch_device_buffer.h"
#include "engine/torch/torch_engine.h"

namespace lockstep {
namespace {

std::vector<CopySpeed> copy_speeds(const std::string& device) {
  std::vector<CopySpeed> speeds;
  for (const auto& [what, bytes_per_second] : torch_copy_speeds(device)) {
    speeds.push_back({what, bytes_per_second});
  }
  return speeds;
}

// Some virtual machines announce tile instructions (AMX) but hide how large tiles are. LibTorch's
// oneDNN then ends with an illegal instruction in bf16.
bool tiles_are_unusable() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kFeatures = 7, kHasTiles = 1u << 24, kTiles = 0x1d;
  if (__get_cpuid_count(kFeatures, 0, &a, &b, &c, &d) == 0 || (d & kHasTiles) == 0) return false;
  return __get_cpuid_count(kTiles, 0, &a, &b, &c, &d) == 0 || a == 0;  // a: kinds of tiles
}

void leave_out_unusable_instructions() {
  constexpr int kKeep = 0;  // what the user has set
  if (tiles_are_unusable()) setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16", kKeep);
}

EngineKind torch_kind() {
  return {.name = "torch",
          .make = make_torch_engine,
          .libraries =
              [](const std::string& device) {
                std::map<std::string, std::string> used = {{"torch", torch_library_versions()}};
                if (device.starts_with("cuda")) {
                  used["cuDNN"] = "convolutions autotuned in the first step (cudnn.benchmark)";
                }
                return used;
              },
          .peak_gflops = [](int threads) -> std::optional<double> {
            return measured_fma_peak(threads);
          },
          .product_gflops = torch_product_gflops,
          .be_deterministic = make_torch_deterministic,
          .copy_speeds = copy_speeds,
          .accelerators = torch_accelerators,
          .device_buffer = make_torch_device_buffer};
}

}  // namespace

std::vector<EngineKind> own_engines() {
  leave_out_unusable_instructions();  // before the first use of LibTorch
  return {torch_kind(), engine_elsewhere("native", {"lockstep", "./run build"})};
}

}  // namespace lockstep
