// budget_rules.h: the rules that turn a loss budget into advice. The first that applies is used;
// docs/measuring.md lists them in the same order.
#pragma once

#include <span>
#include <string>

#include "report/analysis/loss_budget.h"
#include "report/analysis/slow_ranks.h"

namespace lockstep {

// A budget and the result of the launch that it names. Borrows both.
struct BudgetCase {
  const LossBudget& budget;
  const RunResult& run;

  LossPart part() const { return budget.largest(); }
  double milliseconds() const { return 1e3 * budget.seconds_here(part()); }  // of a step
  int workers() const { return run.facts.workers_here; }
  int cores() const;
  std::span<const LateRank> slow() const;  // that cause most of the lateness; empty: none does
  bool can_compress() const;               // gradients, with --gradient-compression
  // Parameter servers that did not measure their queues, of which none kept its workers waiting
  // longer than the others: then their own time is part of the wire.
  bool hides_servers() const;
};

struct BudgetRule {
  const char* name;
  bool (*applies)(const BudgetCase&);
  std::string (*sentence)(const BudgetCase&);
};

std::span<const BudgetRule> budget_rules();
const BudgetRule& rule_for(const BudgetCase& it);

}  // namespace lockstep
