// torch.cpp: the engines of the program lockstep-torch.
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

EngineKind torch_kind() {
  return {.name = "torch",
          .make = make_torch_engine,
          .libraries =
              [] {
                return std::map<std::string, std::string>{{"torch", torch_library_versions()}};
              },
          .peak_gflops = [](int threads) -> std::optional<double> {
            return measured_fma_peak(threads);
          },
          .product_gflops = torch_product_gflops,
          .copy_speeds = copy_speeds,
          .accelerators = torch_accelerators,
          .device_buffer = make_torch_device_buffer};
}

}  // namespace

std::vector<EngineKind> own_engines() {
  return {torch_kind(), engine_elsewhere("native", {"lockstep", "./run build"})};
}

}  // namespace lockstep
