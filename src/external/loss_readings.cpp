#include "external/loss_readings.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace lockstep {

std::optional<double> LossReadings::add(const std::string& text, const Place& place) {
  char* end = nullptr;
  const double loss = std::strtod(text.c_str(), &end);  // reads nan and inf in any spelling
  if (text.empty() || *end != '\0') return {};
  if (std::isfinite(loss)) return last_[place.worker] = loss;
  if (problem_.empty()) {
    const std::string step = place.step ? fmt::format(" at step {}", *place.step) : "";
    problem_ = fmt::format("worker {}: the loss is {}{}", place.worker, text, step);
  }
  return {};
}

std::optional<double> LossReadings::last() const {
  if (last_.empty()) return {};
  double sum = 0;
  for (const auto& row : last_) sum += row.second;
  return sum / static_cast<double>(last_.size());
}

}  // namespace lockstep
