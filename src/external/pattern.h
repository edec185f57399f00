// pattern.h: a regular expression that finds a number in a line. The only user of RE2, whose run
// time is linear in the length of the line for any expression.
//
// The number is the group "value", else the first group. The groups "worker", "step" and "loss"
// give the worker (if one process prints for several), the step and the loss of a line.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace re2 {
class RE2;
}

namespace lockstep {

struct PatternMatch {
  std::string value, worker, step, loss;  // as they stand in the line; empty: no such group
};

class Pattern {
 public:
  enum class Kind { Number, Anything };  // Anything needs no group

  Pattern(const std::string& expression, Kind kind);  // throws UsageError; empty never matches
  Pattern(Pattern&&) noexcept;
  ~Pattern();

  std::optional<PatternMatch> find(const std::string& line) const;

 private:
  std::unique_ptr<re2::RE2> expression_;
  int value_ = 0, worker_ = 0, step_ = 0, loss_ = 0;  // numbers of groups; 0: none
};

}  // namespace lockstep
