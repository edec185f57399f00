#include "report/render/budget_text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "config/json.h"
#include "config/run_id.h"
#include "report/render/remarks.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

constexpr char kLetters[] = {'c', 'b', 'l', 'w', 'q', 's', 'i', '-', '?'};
static_assert(std::size(kLetters) == kLossPartCount);
constexpr int kBarWidth = 60;
constexpr double kPrinted = 0.0005;  // of a step: less is 0.0 points

const RunResult& run_of(const LossBudget& budget, std::span<const StoredRun> runs) {
  return runs[budget.launch].result;
}

std::string points_text(double part, const std::optional<Interval>& interval) {
  if (!interval) return fmt::format("{:.1f}", 100 * part);
  return fmt::format("{:.1f} ± {:.1f}", 100 * part, 50 * (interval->high - interval->low));
}

std::string parts_table(const LossBudget& budget, const RunResult& run) {
  TextTable table({{"part", TextTable::Align::Left},
                   {"", TextTable::Align::Left},
                   {"points"},
                   {"ms per step"}});
  for (size_t i = 0; i < kLossPartCount; ++i) {
    const auto part = static_cast<LossPart>(i);
    if (std::abs(budget.part(part)) < kPrinted) continue;
    table.add({part_name(part, budget, run), std::string(1, kLetters[i]),
               points_text(budget.part(part), budget.part_95(part)),
               fmt::format("{:.2f}", 1e3 * budget.seconds[i])});
  }
  table.add({"all", "", points_text(budget.lost(), budget.lost_95()),
             fmt::format("{:.2f}", 1e3 * (budget.step - budget.ideal_step))});
  return table.text();
}

std::string late_table(const PathSummary& path) {
  if (path.late.empty()) return "";
  constexpr auto kLeft = TextTable::Align::Left;
  TextTable table({{"late rank"}, {"host", kLeft}, {"% of steps"}, {"by ms"}, {"in", kLeft}});
  for (const LateRank& each : path.late) {
    table.add({fmt::to_string(each.rank), each.host, fmt::format("{:.0f}", 100 * each.fraction),
               fmt::format("{:.2f}", 1e3 * each.seconds),
               each.where.empty() ? "the whole step" : each.where});
  }
  return table.text_within();
}

std::string server_table(const PathSummary& path) {
  if (path.servers.empty()) return "";
  constexpr auto kLeft = TextTable::Align::Left;
  TextTable table({{"server"}, {"ms per step"}, {"most for", kLeft}});
  for (const ServerWait& each : path.servers) {
    table.add({each.server < 0 ? "unknown" : fmt::to_string(each.server),
               fmt::format("{:.2f}", 1e3 * each.seconds), each.variable});
  }
  return table.text_within();
}

std::string answer_of(const ScalingReport& report, const LossBudget& budget,
                      std::span<const StoredRun> runs) {
  const BudgetWords words = words_on(budget, run_of(budget, runs));
  const Configuration& own = report.configurations[budget.configuration];
  return wrapped(
             fmt::format("{}: {}\n  {}\n", subject_of(report, own), words.verdict, words.advice)) +
         fmt::format("  [{}]\n", budget_bar(budget, kBarWidth));
}

std::string block_of(const ScalingReport& report, const LossBudget& budget,
                     std::span<const StoredRun> runs) {
  const BudgetWords words = words_on(budget, run_of(budget, runs));
  std::string text = answer_of(report, budget, runs);
  text += wrapped(fmt::format("  step {:.2f} ms, ideal {:.2f} ms; {}\n\n", 1e3 * budget.step,
                              1e3 * budget.ideal_step, words.basis));
  text += parts_table(budget, run_of(budget, runs));
  text += "\n" + wrapped(energy_line(run_of(budget, runs)) + "\n");
  for (const std::string& table : {late_table(budget.path), server_table(budget.path)}) {
    if (!table.empty()) text += "\n" + table;
  }
  return text;
}

Json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return Json::array({interval->low, interval->high});
}

Json energy_json(const RunResult& run) {
  if (!run.energy) return nullptr;
  return {{"joules", run.energy->joules}, {"images_per_joule", run.energy->images_per_joule}};
}

}  // namespace

std::string budget_bar(const LossBudget& budget, int width) {
  double all = std::max(budget.ideal_step, 0.0);
  for (const double part : budget.seconds) all += std::max(part, 0.0);
  if (!(all > 0)) return std::string(static_cast<size_t>(width), '#');
  std::string bar;
  double until = std::max(budget.ideal_step, 0.0);
  const auto fill = [&](char letter) {
    const auto end = static_cast<size_t>(std::lround(width * until / all));
    if (end > bar.size()) bar.append(end - bar.size(), letter);
  };
  fill('#');
  for (size_t i = 0; i < kLossPartCount; ++i) {
    until += std::max(budget.seconds[i], 0.0);
    fill(kLetters[i]);
  }
  return bar;
}

// Of each network the largest number of devices.
std::string budget_answers(const ScalingReport& report, std::span<const LossBudget> budgets,
                           std::span<const StoredRun> runs, size_t most) {
  size_t left_out = 0;
  std::vector<const LossBudget*> order;
  for (const LossBudget& each : budgets) order.push_back(&each);
  if (most > 0) {
    const auto devices = [&](const LossBudget* each) {
      return report.configurations[each->configuration].devices;
    };
    std::map<std::string, int> largest;
    for (const LossBudget* each : order) {
      int& known = largest[report.configurations[each->configuration].config.model];
      known = std::max(known, devices(each));
    }
    std::erase_if(order, [&](const LossBudget* each) {
      return devices(each) < largest[report.configurations[each->configuration].config.model];
    });
    left_out = order.size() - std::min(order.size(), most);
    order.resize(order.size() - left_out);
  }
  std::string text;
  for (const LossBudget* each : order) text += answer_of(report, *each, runs);
  if (left_out > 0) {
    text += fmt::format("not listed: {}; lockstep explain has all\n",
                        count_text(static_cast<int64_t>(left_out), "configuration"));
  }
  return text;
}

std::string budget_markdown(const ScalingReport& report, std::span<const LossBudget> budgets,
                            std::span<const StoredRun> runs) {
  std::string text;
  for (const LossBudget& budget : budgets) {
    const BudgetWords words = words_on(budget, run_of(budget, runs));
    const Configuration& own = report.configurations[budget.configuration];
    text += markdown_item(
        fmt::format("{}: {}. {}", subject_of(report, own), words.verdict, words.advice));
  }
  return text;
}

std::string explanation(const ScalingReport& report, std::span<const LossBudget> budgets,
                        std::span<const StoredRun> runs) {
  std::string text;
  for (const LossBudget& each : budgets) {
    text += (text.empty() ? "" : "\n") + block_of(report, each, runs);
  }
  return text;
}

Json budget_json(const ScalingReport& report, const LossBudget& budget,
                 std::span<const StoredRun> runs) {
  const BudgetWords words = words_on(budget, run_of(budget, runs));
  Json parts = Json::array();
  for (size_t i = 0; i < kLossPartCount; ++i) {
    if (budget.seconds[i] == 0) continue;
    const auto part = static_cast<LossPart>(i);
    parts.push_back({{"part", kLossParts[i].key},
                     {"fraction", budget.part(part)},
                     {"fraction_95", interval_json(budget.part_95(part))},
                     {"seconds_per_step", budget.seconds[i]}});
  }
  Json late = Json::array(), servers = Json::array();
  for (const LateRank& each : budget.path.late) {
    late.push_back({{"rank", each.rank},
                    {"host", each.host},
                    {"fraction_of_steps", each.fraction},
                    {"seconds", each.seconds},
                    {"where", each.where}});
  }
  for (const ServerWait& each : budget.path.servers) {
    servers.push_back(
        {{"server", each.server}, {"variable", each.variable}, {"seconds_per_step", each.seconds}});
  }
  const Configuration& own = report.configurations[budget.configuration];
  return {{"configuration", own.id},
          {"label", subject_of(report, own)},
          {"devices", own.devices},
          {"base_devices",
           budget.base ? Json(report.configurations[*budget.base].devices) : Json(nullptr)},
          {"efficiency", budget.efficiency.value},
          {"efficiency_95", interval_json(budget.efficiency.interval_95)},
          {"step_seconds", budget.step},
          {"ideal_step_seconds", budget.ideal_step},
          {"lost", budget.lost()},
          {"parts", std::move(parts)},
          {"late_ranks", std::move(late)},
          {"servers", std::move(servers)},
          {"energy", energy_json(run_of(budget, runs))},
          {"by_experiment", budget.source == BudgetSource::Experiment},
          {"rule", words.rule},
          {"verdict", words.verdict},
          {"advice", words.advice},
          {"basis", words.basis}};
}

std::vector<std::string> why_lines(const RunResult& result) {
  if (result.facts.devices < 2 || !result.path) return {};
  std::vector<StoredRun> runs = {{.id = run_id(result.config)}};
  runs.front().result = without_samples(result);
  runs.front().result.status = RunStatus::Completed;  // an interrupted run has its steps, too
  const ScalingReport report = make_scaling(runs);
  const std::vector<LossBudget> budgets = loss_budgets(report, runs);
  if (budgets.empty()) return {};
  const BudgetWords words = words_on(budgets.front(), runs.front().result);
  return {wrapped(words.verdict), wrapped(words.advice)};
}

}  // namespace lockstep
