// random_bench.cpp: how fast initial values are drawn. VGG-16 has 138 million of them, and they are
// part of the time from start to first step.
#include <benchmark/benchmark.h>

#include <vector>

#include "base/random.h"

namespace lockstep {
namespace {

void fill_initial_values(benchmark::State& state) {
  std::vector<float> values(state.range(0));
  const RandomStream random(1234, 0);
  for (auto _ : state) {
    fill_truncated_normal(values, random, 0.0, 0.05);
    benchmark::DoNotOptimize(values.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(fill_initial_values)->RangeMultiplier(16)->Range(1 << 12, 1 << 24)->UseRealTime();

}  // namespace
}  // namespace lockstep
