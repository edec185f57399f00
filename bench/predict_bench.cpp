// predict_bench.cpp: predictions per second of `simulate --fidelity schedule`; docs/simulating.md
// states the numbers.
#include <benchmark/benchmark.h>

#include "sim/answers/what_if.h"
#include "sim/cluster/ready_clusters.h"
#include "sim/step/predict.h"

namespace lockstep {
namespace {

void predict_512_devices(benchmark::State& state, const std::string& strategy) {
  const Cluster cluster = load_cluster("horovod-512");
  const Workload& workload = workload_of("resnet101");
  Scenario scenario{.batch = 64, .one_device_step = 0.5, .devices = 512};
  set_strategy(strategy, scenario);
  for (auto _ : state) {
    benchmark::DoNotOptimize(predict(cluster, workload, scenario).step);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(predict_512_devices, horovod, "horovod");
BENCHMARK_CAPTURE(predict_512_devices, replicated, "replicated");
BENCHMARK_CAPTURE(predict_512_devices, parameter_server, "parameter_server");

}  // namespace
}  // namespace lockstep
