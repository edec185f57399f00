// budget_words.h: a loss budget in words: what was lost where, and what to try first.
//
// The advice comes from the rules of budget_rules.h.
#pragma once

#include <string>

#include "report/analysis/loss_budget.h"

namespace lockstep {

struct BudgetWords {
  std::string rule;     // its name in docs/measuring.md: "shared-memory"
  std::string verdict;  // "89.7 % (lost 10.3 points: 8.1 slower compute, 1.2 wire)"
  std::string advice;   // one or two sentences
  std::string basis;    // what the split was made from
};

// `run`: the result of the launch that the budget names.
BudgetWords words_on(const LossBudget& budget, const RunResult& run);

// "wire"; "wire and servers" if they cannot be told apart.
std::string part_name(LossPart part, const LossBudget& budget, const RunResult& run);

// "alexnet:128 on 2 devices", with the engine and the settings that tell it from others.
std::string subject_of(const ScalingReport& report, const Configuration& each);

}  // namespace lockstep
