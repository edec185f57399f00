// gpu_watch.h: watches one GPU while timed steps run: clocks, throttling, energy.
//
// A thread asks the management library a few times a second, because a GPU that was throttled
// during the steps is not any more after them. The energy is the difference of two counters.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/time.h"
#include "measure/gpu.h"

namespace lockstep {

// What was seen of a GPU during the timed steps of one rank.
struct GpuRecord {
  int rank = 0;
  std::string host;
  GpuInfo info = {};
  std::optional<int> lowest_clock_mhz = {}, highest_clock_mhz = {}, memory_clock_mhz = {};
  std::optional<double> energy_joules = {};  // of the timed steps
  std::vector<std::string> throttled = {};   // reasons that were seen at any time
  int samples = 0;
};

// One more sample: clocks and reasons; the energy is left to whoever knows the first and the last.
void add_sample(GpuRecord& record, const GpuState& state);

class GpuWatch {
 public:
  // Borrows the library, which nobody else may use between start() and stop().
  GpuWatch(GpuLibrary& library, int gpu, Seconds interval = Seconds{0.25});

  void start();
  void stop();
  const GpuRecord& record() const { return record_; }  // of the time between them

 private:
  void sample(const std::stop_token& stop);

  GpuLibrary& library_;
  int gpu_;
  Seconds interval_;
  GpuRecord record_;
  std::optional<double> energy_before_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // last member: joined before the others are destroyed
};

}  // namespace lockstep
