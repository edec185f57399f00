// answer_data.h: what the page leads with, as JSON: a card per network, loss budgets, the timeline
// of one step. docs/reports.md lists the keys.
#pragma once

#include "config/json_fwd.h"
#include "report/analysis/loss_budget.h"
#include "report/analysis/step_timeline.h"

namespace lockstep {

Json budgets_json(std::span<const LossBudget> budgets, std::span<const StoredRun> runs);

// One for each network: its fastest configuration, and the fastest of those with most devices.
Json cards_json(const ScalingReport& report, std::span<const LossBudget> budgets,
                std::span<const StoredRun> runs);

Json timeline_json(const StepTimeline& timeline);

}  // namespace lockstep
