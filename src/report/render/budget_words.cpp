#include "report/render/budget_words.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/text.h"
#include "config/independent_twin.h"
#include "config/run_label.h"
#include "report/analysis/budget_rules.h"

namespace lockstep {
namespace {

constexpr double kPrinted = 0.0005;  // 0.1 points after rounding

// "late rank 1" if one rank causes most of it.
std::string name_of(LossPart part, const BudgetCase& it) {
  const bool named = part == LossPart::LateRanks && !it.slow().empty();
  return named ? name_of_slow_ranks(it.slow()) : part_name(part, it.budget, it.run);
}

std::string gain_in(LossPart part, const BudgetCase& it) {
  if (part == LossPart::SlowerCompute) return "faster compute";
  return "less " + part_name(part, it.budget, it.run);
}

std::string percent_text(const Ratio& ratio) {
  if (!ratio.interval_95) return fmt::format("{:.1f}", 100 * ratio.value);
  return fmt::format("{:.1f} ± {:.1f}", 100 * ratio.value,
                     50 * (ratio.interval_95->high - ratio.interval_95->low));
}

// Of what the percentage is; nothing if the base is one device.
std::string scale_of(const LossBudget& budget) {
  if (!budget.base) return " of a step computes";
  return budget.base_devices > 1 ? " against " + count_text(budget.base_devices, "device") : "";
}

std::string verdict_of(const BudgetCase& it) {
  std::vector<LossPart> order;
  for (size_t i = 0; i < kLossPartCount; ++i) order.push_back(static_cast<LossPart>(i));
  std::ranges::stable_sort(order, std::greater<>(), [&](LossPart p) { return it.budget.part(p); });
  std::vector<std::string> lost, gained;
  for (const LossPart part : order) {
    const double points = it.budget.part(part);
    if (std::abs(points) < kPrinted) continue;
    (points > 0 ? lost : gained)
        .push_back(fmt::format("{:.1f} {}", 100 * std::abs(points),
                               points > 0 ? name_of(part, it) : gain_in(part, it)));
  }
  const double points = 100 * it.budget.lost();
  std::string text = fmt::format("{} %{}", percent_text(it.budget.efficiency), scale_of(it.budget));
  if (lost.empty() && gained.empty()) return text;
  if (points < 0) std::swap(lost, gained);  // what makes up most of it comes first
  const char *first = points < 0 ? "gained" : "lost", *second = points < 0 ? "lost" : "gained";
  text += fmt::format(" ({} {:.1f} points: {}", first, std::abs(points), fmt::join(lost, ", "));
  if (!gained.empty()) text += fmt::format("; {} {}", second, fmt::join(gained, ", "));
  return text + ")";
}

std::string basis_of(const LossBudget& budget, const RunResult& run) {
  if (!budget.base) {
    return "without a run on fewer devices nobody knows whether compute is slower; 'lockstep sweep "
           "--num-devices 1,N' measures that";
  }
  if (budget.source == BudgetSource::Records && has_framework(run.config)) {
    return fmt::format("from the phases of each step that {} reports; waiting counts as wire",
                       engine_label(run.config));
  }
  const bool measurable = has_independent_twin(run.config, run.facts.devices);
  switch (budget.source) {
    case BudgetSource::Experiment:
      return "slower compute measured without communication";
    case BudgetSource::Records:
      if (budget.lacks_controls) {
        return "from the records of each step; the runs without communication failed";
      }
      return std::string("from the records of each step") +
             (measurable ? "; sweep --explain measures slower compute apart" : "");
    case BudgetSource::Phases:
      return "from mean phases; waiting counts as wire";
    case BudgetSource::Nothing:
      break;
  }
  return "no phases";
}

}  // namespace

std::string part_name(LossPart part, const LossBudget& budget, const RunResult& run) {
  const bool both = part == LossPart::Wire && BudgetCase{budget, run}.hides_servers();
  return both ? "wire and servers" : std::string(kLossParts[static_cast<size_t>(part)].name);
}

BudgetWords words_on(const LossBudget& budget, const RunResult& run) {
  const BudgetCase it = {budget, run};
  const BudgetRule& rule = rule_for(it);
  return {.rule = rule.name,
          .verdict = verdict_of(it),
          .advice = rule.sentence(it),
          .basis = basis_of(budget, run)};
}

std::string subject_of(const ScalingReport& report, const Configuration& each) {
  const std::string settings = settings_label(each.config, report.differing);
  const std::string engine = engine_label(each.config);
  // By fields: labels of thousands of configurations take seconds to compose.
  const auto what = [](const RunConfig& run) {
    return std::tie(run.engine, run.framework, run.program, run.dtype);
  };
  const bool several = std::ranges::any_of(report.configurations, [&](const Configuration& other) {
    return what(other.config) != what(each.config);
  });
  return fmt::format("{}:{} on {}{}{}{}", each.config.model, each.config.batch_size,
                     count_text(each.devices, "device"), several ? ", " + engine : "",
                     settings.empty() ? "" : ", ", settings);
}

}  // namespace lockstep
