// wait_until.h: waits for what another process or thread brings about and does not announce.
#pragma once

#include <chrono>
#include <thread>

namespace lockstep {

// Asks every few milliseconds, so that waiting takes no processor from whoever is waited for.
// False: it has not happened within the timeout.
template <typename Condition>
bool wait_until(const Condition& has_happened,
                std::chrono::seconds timeout = std::chrono::seconds(30)) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (!has_happened()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace lockstep
