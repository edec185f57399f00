// budget_text.h: loss budgets as text: sentences, a bar, tables.
#pragma once

#include <string>
#include <vector>

#include "config/json_fwd.h"
#include "report/render/budget_words.h"

namespace lockstep {

// For every budget the verdict, what to try first, and a bar. `most`: only those of the most
// devices of each network, so many; 0: all.
std::string budget_answers(const ScalingReport& report, std::span<const LossBudget> budgets,
                           std::span<const StoredRun> runs, size_t most = 0);

// The verdict and what to try first, as a list.
std::string budget_markdown(const ScalingReport& report, std::span<const LossBudget> budgets,
                            std::span<const StoredRun> runs);

// The whole explanation: for each budget the answer, a bar, a table of the parts with their
// intervals, and the ranks and servers that were waited for.
std::string explanation(const ScalingReport& report, std::span<const LossBudget> budgets,
                        std::span<const StoredRun> runs);

// "##########sssssww..": ideal, then one letter per part; `width` characters.
std::string budget_bar(const LossBudget& budget, int width);

Json budget_json(const ScalingReport& report, const LossBudget& budget,
                 std::span<const StoredRun> runs);

// For the end of `train`: two lines about one run of several devices; empty: nothing to say.
std::vector<std::string> why_lines(const RunResult& result);

}  // namespace lockstep
