// answer_data.h: what the page leads with, as JSON: loss budgets, and the timeline
// of one step. docs/reports.md lists the keys.
#pragma once

#include <set>

#include "config/json_fwd.h"
#include "report/analysis/loss_budget.h"
#include "report/analysis/step_timeline.h"

namespace lockstep {

// Of the configurations the indices that a card may show, whatever is filtered.
std::set<size_t> places_of_cards(const ScalingReport& report);

// Sentences only of those.
Json budgets_json(const ScalingReport& report, std::span<const LossBudget> budgets,
                  std::span<const StoredRun> runs);

Json timeline_json(const StepTimeline& timeline);

}  // namespace lockstep
