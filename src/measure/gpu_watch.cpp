#include "measure/gpu_watch.h"

#include <algorithm>

namespace lockstep {
namespace {

void widen(std::optional<int>& lowest, std::optional<int>& highest, int value) {
  lowest = std::min(lowest.value_or(value), value);
  highest = std::max(highest.value_or(value), value);
}

}  // namespace

void add_sample(GpuRecord& record, const GpuState& state) {
  ++record.samples;
  if (state.clock_mhz) widen(record.lowest_clock_mhz, record.highest_clock_mhz, *state.clock_mhz);
  if (state.memory_clock_mhz) record.memory_clock_mhz = state.memory_clock_mhz;
  for (const std::string& reason : state.throttled) {
    if (!std::ranges::count(record.throttled, reason)) record.throttled.push_back(reason);
  }
}

GpuWatch::GpuWatch(GpuLibrary& library, int gpu, Seconds interval)
    : library_(library), gpu_(gpu), interval_(interval) {
  record_.info = library.info(gpu);
}

void GpuWatch::start() {
  const GpuState first = library_.state(gpu_);
  add_sample(record_, first);
  energy_before_ = first.energy_joules;
  thread_ = std::jthread([this](const std::stop_token& stop) { sample(stop); });
}

void GpuWatch::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  const GpuState last = library_.state(gpu_);
  add_sample(record_, last);
  if (energy_before_ && last.energy_joules) {
    record_.energy_joules = *last.energy_joules - *energy_before_;
  }
}

void GpuWatch::sample(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  for (;;) {
    stopped_.wait_for(lock, stop, interval_, [] { return false; });
    if (stop.stop_requested()) return;
    add_sample(record_, library_.state(gpu_));
  }
}

}  // namespace lockstep
