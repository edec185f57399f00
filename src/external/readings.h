// readings.h: collects the numbers that a program prints, and computes its throughput.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "external/definition.h"
#include "external/loss_readings.h"
#include "external/pattern.h"
#include "external/phase_readings.h"
#include "external/reading.h"
#include "process/run_commands.h"

namespace lockstep {

// Throughput of the whole run over one interval between step lines.
struct IntervalSample {
  Seconds time{};
  double images_per_second = 0;
  std::optional<double> loss = {};  // mean of the workers
};

class Readings {
 public:
  // `workers`: their number; a sum needs all of them.
  Readings(const Program& program, int workers, int devices);

  enum class Found { Nothing, Number, Enough, Forbidden };
  Found add(const OutputLine& line);

  // Absent if it cannot be computed; problem() gives the reason.
  std::optional<double> images_per_second() const;
  std::string problem() const;  // empty: none

  std::vector<IntervalSample> samples() const;  // empty: step lines do not give any
  std::optional<double> last_loss() const { return losses_.last(); }
  std::array<double, kPhaseNames.size()> mean_phases() const { return phases_.means(); }
  const std::vector<Reading>& steps() const { return steps_; }
  const std::vector<Reading>& totals() const { return totals_; }

 private:
  bool keep(const PatternMatch& match, const OutputLine& line, RateOf what,
            std::vector<Reading>& readings);
  std::optional<double> loss_of(const OutputLine& line, const PatternMatch* step);
  ReadingsByWorker counted_steps() const;
  ReadingsByWorker intervals() const;
  CombineWorkers combination(RateOf what) const;
  RateOf rate_of_deciding() const;
  bool have_enough() const;
  const std::vector<Reading>& deciding() const {
    return program_.output.total.empty() ? steps_ : totals_;
  }
  std::string incomplete(size_t reported, RateOf what) const;

  const Program& program_;
  size_t workers_;
  int devices_;
  Pattern step_, total_, loss_, required_, forbidden_;
  LossReadings losses_;
  PhaseReadings phases_;
  std::vector<Reading> steps_, totals_;
  std::map<std::string, int64_t> step_counts_;  // by worker
  bool required_seen_ = false;
  bool too_many_ = false;  // more matching lines than are kept
  std::string forbidden_seen_, not_a_number_, half_line_;
};

}  // namespace lockstep
