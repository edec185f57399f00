// native.cpp: the engines of the program lockstep.
#include "app/own_engines.h"
#include "engine/native/conv_tuning.h"
#include "engine/native/fma_peak.h"
#include "engine/native/native_engine.h"
#include "engine/native/simd/simd_targets.h"

namespace lockstep {
namespace {

EngineKind native_kind() {
  return {.name = "native",
          .make = make_native_engine,
          .libraries =
              [](const std::string&) {
                return std::map<std::string, std::string>{{"native", native_library_versions()}};
              },
          .peak_gflops = [](int threads) -> std::optional<double> {
            return measured_fma_peak(threads);
          },
          .choose_convolutions = measure_conv_choices,
          .only_cpu = true,
          .simd_targets = simd_targets,
          .limit_simd = limit_simd};
}

}  // namespace

std::vector<EngineKind> own_engines() {
  return {native_kind(),
          engine_elsewhere("torch", {.name = "lockstep-torch",
                                     .built_by = "./run torch",
                                     .installed_by = "the wheel of './run wheel torch' "
                                                     "(docs/installing.md#lockstep-torch)"})};
}

}  // namespace lockstep
