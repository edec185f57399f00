#include "report/analysis/best.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "config/run_label.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

CompareSide side_of(const Configuration& each, std::span<const StoredRun> runs,
                    const std::string& label) {
  CompareSide side = {.label = label, .runs = {}};
  for (const size_t place : each.launches) side.runs.push_back(runs[place].result);
  return side;
}

std::string name_of(const ScalingReport& report, const Configuration& each) {
  const std::string settings = settings_label(each.config, report.differing);
  return fmt::format("b{} {}{}{}", each.config.batch_size, engine_label(each.config),
                     settings.empty() ? "" : " ", settings);
}

std::string rate_text(const Configuration& each) {
  const auto& interval = each.speed->images_per_second_95;
  if (!interval) return fmt::format("{:.2f}", each.speed->images_per_second);
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", each.speed->images_per_second, interval->low,
                     interval->high);
}

TextTable table_of(const ScalingReport& report, std::span<const BestRow> rows) {
  constexpr auto kLeft = TextTable::Align::Left;
  TextTable table({{"model", kLeft},
                   {"devices"},
                   {"best", kLeft},
                   {"images/sec (95 %)"},
                   {"runner-up", kLeft},
                   {"images/sec (95 %)"},
                   {"which is", kLeft}});
  for (const BestRow& row : rows) {
    const Configuration& best = report.configurations[row.best];
    std::string other, other_rate;
    if (row.runner_up) {
      other = name_of(report, report.configurations[*row.runner_up]);
      other_rate = rate_text(report.configurations[*row.runner_up]);
    }
    table.add({row.model, fmt::to_string(row.devices), name_of(report, best), rate_text(best),
               other, other_rate, words_about(row)});
  }
  return table;
}

}  // namespace

std::vector<BestRow> best_of(const ScalingReport& report, std::span<const StoredRun> runs,
                             double threshold) {
  std::map<std::pair<std::string, int>, std::vector<size_t>> groups;
  for (size_t i = 0; i < report.configurations.size(); ++i) {
    const Configuration& each = report.configurations[i];
    if (each.speed && !each.simulated) groups[{each.config.model, each.devices}].push_back(i);
  }
  const auto rate = [&](size_t i) { return report.configurations[i].speed->images_per_second; };
  std::vector<BestRow> rows;
  for (auto& [group, members] : groups) {
    std::ranges::sort(members, std::greater<>(), rate);
    BestRow& row = rows.emplace_back(
        BestRow{.model = group.first, .devices = group.second, .best = members.front()});
    if (members.size() < 2) continue;
    row.runner_up = members[1];
    const CompareSide sides[] = {side_of(report.configurations[row.best], runs, "best"),
                                 side_of(report.configurations[members[1]], runs, "runner-up")};
    row.difference = compare(sides, threshold).comparisons.front();
  }
  return rows;
}

std::string words_about(const BestRow& row) {
  if (!row.difference) return "the only one";
  switch (row.difference->verdict) {
    case Verdict::Slower:
      return fmt::format("really slower: {:.3f} times", row.difference->ratio.value);
    case Verdict::Same:
      return "as fast";
    case Verdict::Faster:
    case Verdict::Inconclusive:
      break;
  }
  return (row.difference->too_few ? "not known: " : "perhaps as fast: ") + row.difference->reason;
}

std::string best_table(const ScalingReport& report, std::span<const BestRow> rows) {
  return table_of(report, rows).text();
}

std::string best_markdown(const ScalingReport& report, std::span<const BestRow> rows) {
  return table_of(report, rows).markdown();
}

}  // namespace lockstep
