// readings.h: collects the numbers that a program prints, and computes its throughput.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "external/definition.h"
#include "external/pattern.h"
#include "process/run_commands.h"

namespace lockstep {

struct Reading {
  std::string worker;  // "0", or the group "worker" of the pattern
  std::optional<int64_t> step;
  Seconds time{};  // arrival of the line, since the start
  double images_per_second = 0;
};

// Throughput of the whole run over one interval between step lines.
struct IntervalSample {
  Seconds time{};
  double images_per_second = 0;
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

  std::vector<IntervalSample> samples() const;  // empty unless step lines are intervals
  const std::vector<Reading>& steps() const { return steps_; }
  const std::vector<Reading>& totals() const { return totals_; }

 private:
  using ByWorker = std::map<std::string, std::vector<Reading>>;

  bool keep(const PatternMatch& match, const OutputLine& line, RateOf what,
            std::vector<Reading>& readings);
  ByWorker counted_steps() const;
  bool have_enough() const;
  const std::vector<Reading>& deciding() const {
    return program_.output.total.empty() ? steps_ : totals_;
  }
  std::string incomplete(size_t reported) const;

  const Program& program_;
  size_t workers_;
  int devices_;
  Pattern step_, total_, required_, forbidden_;
  std::vector<Reading> steps_, totals_;
  std::map<std::string, int64_t> step_counts_;  // by worker
  bool required_seen_ = false;
  bool too_many_ = false;  // more matching lines than are kept
  std::string forbidden_seen_, not_a_number_, half_line_;
};

}  // namespace lockstep
