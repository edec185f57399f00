#include "external/phase_readings.h"

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace lockstep {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

PhaseReadings::PhaseReadings(const ProgramOutput& output)
    : unit_(output.phase_unit == PhaseUnit::Second ? 1 : 1e-3) {
  for (const auto& [name, expression] : output.phases) {
    const auto phase = std::ranges::find(kPhaseNames, name);
    rows_.push_back({.phase = static_cast<size_t>(phase - kPhaseNames.begin()),
                     .pattern = Pattern(expression, Pattern::Kind::Number)});
  }
}

void PhaseReadings::add(const std::string& line) {
  for (Row& row : rows_) {
    const auto match = row.pattern.find(line);
    if (!match) continue;
    const auto time = finite_number(match->value);
    row.sum += time && *time >= 0 ? *time * unit_ : kUnknown;
    ++row.lines;
  }
}

std::array<double, kPhaseNames.size()> PhaseReadings::means() const {
  std::array<double, kPhaseNames.size()> means;
  means.fill(kUnknown);
  for (const Row& row : rows_) {
    if (row.lines > 0) means[row.phase] = row.sum / static_cast<double>(row.lines);
  }
  return means;
}

}  // namespace lockstep
