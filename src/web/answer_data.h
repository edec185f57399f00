// answer_data.h: what the page leads with, as JSON: loss budgets, and the timeline
// of one step. docs/reports.md lists the keys.
#pragma once

#include "config/json_fwd.h"
#include "report/analysis/loss_budget.h"
#include "report/analysis/step_timeline.h"

namespace lockstep {

// Sentences only of those that a card may show, whatever is filtered.
Json budgets_json(const ScalingReport& report, std::span<const LossBudget> budgets,
                  std::span<const StoredRun> runs);

Json timeline_json(const StepTimeline& timeline);

}  // namespace lockstep
