#include "app/native.h"

#include "engine/native/fma_peak.h"
#include "engine/native/native_engine.h"

namespace lockstep {

EngineKind native_engine_kind() {
  return {.name = "native",
          .make = make_native_engine,
          .libraries =
              [] {
                return std::map<std::string, std::string>{{"native", native_library_versions()}};
              },
          .peak_gflops = [](int threads) -> std::optional<double> {
            return measured_fma_peak(threads);
          }};
}

}  // namespace lockstep
