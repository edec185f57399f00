#include "comm/watchdog.h"

#include <utility>

namespace lockstep {

Watchdog::Watchdog(Seconds patience, std::function<bool()> act)
    : patience_(patience),
      act_(std::move(act)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Watchdog::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    stopped_.wait_for(lock, stop, patience_ / 8, [] { return false; });
    const Clock::duration since = since_;
    if (since == Clock::duration::zero()) continue;
    if (Clock::now().time_since_epoch() - since < patience_) continue;
    if (act_()) return;
  }
}

}  // namespace lockstep
