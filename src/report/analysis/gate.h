// gate.h: whether a comparison passes a gate that allows a slowdown up to a limit.
//
// A verdict of compare.h has no limit but the threshold of noise. A gate asks one question only: is
// the run slower than allowed? So a run that is faster or not, but surely within the limit, passes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/analysis/compare.h"

namespace lockstep {

enum class GateOutcome { Passed, Slower, Inconclusive };

struct GateRules {
  double threshold = 0.02;  // smallest relevant difference of verdicts
  // Images/sec may fall by this fraction. Absent: every run with the verdict `slower` fails.
  std::optional<double> max_regression = {};

  double limit() const;       // smallest ratio that passes
  std::string words() const;  // "2 %", of the limit
};

// Slower: significant, and more than allowed: the whole interval is below the limit or, without
// max_regression, the verdict is `slower`. Passed: the whole interval is above the limit.
GateOutcome gate(const Comparison& comparison, const GateRules& rules);

// "3 of 6 comparisons are inconclusive, a slowdown of more than 2 % is possible: LABELS; ...";
// absent if none is.
std::optional<std::string> words_on_inconclusive(std::span<const Comparison> comparisons,
                                                 const GateRules& rules);

}  // namespace lockstep
