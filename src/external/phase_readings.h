// phase_readings.h: the times of phases that a program prints, in seconds of a step.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "external/definition.h"
#include "external/pattern.h"
#include "measure/step_meter.h"

namespace lockstep {

class PhaseReadings {
 public:
  explicit PhaseReadings(const ProgramOutput& output);

  void add(const std::string& line);

  // Mean over all lines of all workers. NaN: unknown, as no line has it, or one has no number.
  std::array<double, kPhaseNames.size()> means() const;

 private:
  struct Row {
    size_t phase;  // index into kPhaseNames
    Pattern pattern;
    double sum = 0;
    int64_t lines = 0;
  };
  double unit_;  // in seconds
  std::vector<Row> rows_;
};

}  // namespace lockstep
