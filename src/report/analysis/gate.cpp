#include "report/analysis/gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/analysis/scaling_notes.h"

namespace lockstep {

double GateRules::limit() const {
  return max_regression ? 1 - *max_regression : 1 / (1 + threshold);
}

std::string GateRules::words() const {
  return fmt::format("{:.3g} %", 100 * max_regression.value_or(threshold));
}

GateOutcome gate(const Comparison& comparison, const GateRules& rules) {
  const auto& interval = comparison.ratio.interval_95;
  const bool slower = comparison.verdict == Verdict::Slower;
  if (slower && !rules.max_regression) return GateOutcome::Slower;
  if (!interval) return GateOutcome::Inconclusive;
  if (slower && interval->high < rules.limit()) return GateOutcome::Slower;
  return interval->low >= rules.limit() ? GateOutcome::Passed : GateOutcome::Inconclusive;
}

std::optional<std::string> words_on_inconclusive(std::span<const Comparison> comparisons,
                                                 const GateRules& rules) {
  std::vector<std::string> labels;
  long too_few = 0;
  for (const Comparison& each : comparisons) {
    if (gate(each, rules) != GateOutcome::Inconclusive) continue;
    labels.push_back(each.label);
    if (each.too_few) ++too_few;
  }
  if (labels.empty()) return {};
  const int enough = enough_launches(comparisons.size());
  const size_t inconclusive = labels.size();
  return fmt::format(
      "{} of {} comparisons {} inconclusive, a slowdown of more than {} is possible: {}; {}",
      inconclusive, comparisons.size(), inconclusive == 1 ? "is" : "are", rules.words(),
      few_of(std::move(labels)),
      too_few > 0
          ? fmt::format("{} of them {} too few launches to detect any slowdown: use at least {} "
                        "on both sides",
                        too_few, too_few == 1 ? "has" : "have", enough)
          : std::string("measure more launches on both sides"));
}

}  // namespace lockstep
