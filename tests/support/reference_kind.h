// reference_kind.h: the reference engine as a row of the program's table of engines, so that
// commands can be tested without the fast engines.
#pragma once

#include "engine/reference/reference_engine.h"
#include "run/engines.h"

namespace lockstep {

inline EngineKind reference_kind() {
  return {.name = "native",
          .make = make_reference_engine,
          .libraries =
              [](const std::string&) {
                return std::map<std::string, std::string>{{"reference", "1"}};
              },
          .peak_gflops = [](int) { return std::optional<double>(100); }};
}

}  // namespace lockstep
