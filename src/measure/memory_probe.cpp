#include "measure/memory_probe.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "base/time.h"

namespace lockstep {
namespace {

constexpr float kFactor = 3;

// a = b + factor * c. STREAM counts what a program moves, not that the cache reads `a` too.
void triad(std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& c) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = b[i] + kFactor * c[i];
}

}  // namespace

MemorySpeed measure_memory(const CoreSet& cores, int64_t bytes_per_core, int rounds) {
  const auto floats = static_cast<size_t>(bytes_per_core) / (3 * sizeof(float));
  std::atomic<bool> right = true;
  std::barrier together(static_cast<std::ptrdiff_t>(cores.size()));
  std::vector<std::vector<double>> times(cores.size());
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < cores.size(); ++i) {
      threads.emplace_back([&, i] {
        bind_this_thread({cores[i]});
        std::vector<float> a(floats), b(floats, 1.0f), c(floats, 2.0f);  // first touch is here
        for (int round = 0; round < rounds; ++round) {
          together.arrive_and_wait();
          const TimePoint start = Clock::now();
          triad(a, b, c);
          times[i].push_back(seconds_since(start).count());
        }
        const bool all = std::ranges::all_of(a, [](float x) { return x == 1 + kFactor * 2; });
        if (!all) right = false;
      });
    }
  }
  MemorySpeed speed = {.right = right};
  for (int round = 0; round < rounds; ++round) {
    double slowest = 0;
    for (const auto& own : times) slowest = std::max(slowest, own[static_cast<size_t>(round)]);
    const double moved = 3.0 * sizeof(float) * static_cast<double>(floats * cores.size());
    speed.bytes_per_second = std::max(speed.bytes_per_second, moved / slowest);
  }
  return speed;
}

}  // namespace lockstep
