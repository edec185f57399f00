// engine_fixture.h: for suites that run once per engine.
#pragma once

#include <gtest/gtest.h>

#include "engine/reference/small_networks.h"
#include "support/engines.h"

namespace lockstep {

class PerEngine : public ::testing::TestWithParam<EngineRow> {
 protected:
  // A replica with random values that every engine gets alike.
  Replica replica(const Graph& graph, const EngineOptions& options) const {
    Replica result = make_replica(GetParam(), graph, options);
    result.fill(kSeed);
    return result;
  }
  Replica replica(const SmallNetwork& network) const {
    return replica(network.graph, {.batch = network.batch, .seed = kSeed});
  }
  static Examples examples(const SmallNetwork& network, uint64_t seed = kSeed) {
    return random_examples(network.graph, network.batch, seed);
  }

  static constexpr uint64_t kSeed = 7;
};

inline std::string engine_name(const ::testing::TestParamInfo<EngineRow>& info) {
  return std::string(info.param.name);
}

}  // namespace lockstep
