// torch.cpp: the engines of the program lockstep-torch.
#include "app/own_engines.h"
#include "engine/native/fma_peak.h"
#include "engine/torch/torch_engine.h"

namespace lockstep {
namespace {

EngineKind torch_kind() {
  return {.name = "torch",
          .make = make_torch_engine,
          .libraries =
              [] {
                return std::map<std::string, std::string>{{"torch", torch_library_versions()}};
              },
          .peak_gflops = [](int threads) -> std::optional<double> {
            return measured_fma_peak(threads);
          }};
}

}  // namespace

std::vector<EngineKind> own_engines() {
  return {torch_kind(), engine_elsewhere("native", {"lockstep", "./run build"})};
}

}  // namespace lockstep
