#include "measure/compute_probe.h"

#include <array>
#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

namespace lockstep {
namespace {

constexpr int kLanes = 64;      // independent chains: more than any core has in flight
constexpr int kRounds = 20000;  // between looks at the clock

// Values stay near 1, so no number becomes slow to compute with.
double multiply_adds(std::array<float, kLanes>& values) {
  for (int round = 0; round < kRounds; ++round) {
    for (float& value : values) value = value * 0.999f + 0.001f;
  }
  return 2.0 * kLanes * kRounds;
}

double work_until(TimePoint end) {
  std::array<float, kLanes> values = {};
  double operations = 0;
  while (Clock::now() < end) operations += multiply_adds(values);
  const volatile float kept = std::accumulate(values.begin(), values.end(), 0.0f);
  static_cast<void>(kept);
  return operations;
}

}  // namespace

double compute_flops(int threads, Seconds duration) {
  const TimePoint start = Clock::now();
  const TimePoint end = start + std::chrono::duration_cast<Clock::duration>(duration);
  std::vector<double> operations(static_cast<size_t>(threads));
  {
    std::vector<std::jthread> workers;
    for (double& own : operations) workers.emplace_back([&own, end] { own = work_until(end); });
  }
  const double all = std::accumulate(operations.begin(), operations.end(), 0.0);
  return all / seconds_since(start).count();
}

}  // namespace lockstep
