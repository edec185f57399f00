#include "report/render/best_text.h"

#include <fmt/format.h>

#include "config/run_label.h"
#include "report/render/compact_tables.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

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

TextTable wide_table(const ScalingReport& report, std::span<const BestRow> rows) {
  constexpr auto kLeft = TextTable::Align::Left;
  TextTable table({{"model", kLeft},
                   {"devices"},
                   {"best", kLeft},
                   {"images/sec (95 %)"},
                   {"runner-up", kLeft},
                   {"images/sec (95 %)"},
                   {"runner-up is", kLeft}});
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

std::string words_about(const BestRow& row) {
  if (!row.difference) return "only configuration";
  switch (row.difference->verdict) {
    case Verdict::Slower:
      return fmt::format("slower: {:.3f} times", row.difference->ratio.value);
    case Verdict::Same:
      return "no significant difference";
    case Verdict::Faster:
    case Verdict::Inconclusive:
      break;
  }
  return "inconclusive: " + row.difference->reason;
}

// Below each other, because two names with their settings rarely fit beside each other.
std::string best_table(const ScalingReport& report, std::span<const BestRow> rows,
                       TableWidth width) {
  if (width == TableWidth::Wide) return wide_table(report, rows).text();
  constexpr auto kLeft = TextTable::Align::Left;
  TextTable table(
      {{"model", kLeft}, {"devices"}, {"configuration", kLeft}, {"images/sec"}, {"", kLeft}});
  for (const BestRow& row : rows) {
    const Configuration& best = report.configurations[row.best];
    table.add({row.model, fmt::to_string(row.devices), name_of(report, best),
               rate_with_margin(*best.speed), row.runner_up ? "best" : words_about(row)});
    if (!row.runner_up) continue;
    const Configuration& second = report.configurations[*row.runner_up];
    const bool known = row.difference && row.difference->verdict != Verdict::Inconclusive;
    table.add({"", "", name_of(report, second), rate_with_margin(*second.speed),
               known ? words_about(row) : "inconclusive"});
  }
  return table.text_within();
}

std::string best_markdown(const ScalingReport& report, std::span<const BestRow> rows) {
  return wide_table(report, rows).markdown();
}

}  // namespace lockstep
