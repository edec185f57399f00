#include "report/render/compare_text.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "config/json.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

using Row = std::vector<std::string>;
const Row kTitles = {"run",    "images/sec",        "ratio", "95 % confidence",
                     "shift",  "95 % of the shift", "p",     "measurements",
                     "verdict"};

std::string interval_text(const std::optional<Interval>& interval, int digits) {
  if (!interval) return "none";
  return fmt::format("{:.{}f} to {:.{}f}", interval->low, digits, interval->high, digits);
}

std::string p_text(double p) { return p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", p); }

std::string counts_text(const Comparison& row) {
  const bool blocks = row.unit == CompareUnit::StepBlocks;
  if (!blocks) return fmt::format("{} and {} launches", row.base_count, row.count);
  return fmt::format("{}x{} and {}x{} steps", row.base_count, row.base_block, row.count, row.block);
}

std::vector<Row> rows_of(const CompareReport& report) {
  std::vector<Row> rows;
  const double base_rate = report.comparisons.front().base_rate;
  rows.push_back({report.base, fmt::format("{:.2f}", base_rate), "1", "", "", "", "", "", "base"});
  for (const Comparison& row : report.comparisons) {
    rows.push_back({row.label, fmt::format("{:.2f}", row.rate),
                    fmt::format("{:.3f}", row.ratio.value), interval_text(row.ratio.interval_95, 3),
                    fmt::format("{:+.2f}", row.shift.middle),
                    interval_text(row.shift.interval_95, 2), p_text(row.p), counts_text(row),
                    std::string(words_for(row.verdict))});
  }
  return rows;
}

// "b.json is faster than a.json: 1.052 times (1.048 to 1.056); significant, more than 2 %"
std::string sentence(const CompareReport& report, const Comparison& row) {
  const std::string numbers = row.ratio.interval_95
                                  ? fmt::format("{:.3f} times ({})", row.ratio.value,
                                                interval_text(row.ratio.interval_95, 3))
                                  : fmt::format("{:.3f} times", row.ratio.value);
  switch (row.verdict) {
    case Verdict::Faster:
    case Verdict::Slower:
      return fmt::format("{} is {} than {}: {}; {}", row.label, words_for(row.verdict), report.base,
                         numbers, row.reason);
    case Verdict::Same:
      return fmt::format("{} against {}: no significant difference: {}; {}", row.label, report.base,
                         numbers, row.reason);
    case Verdict::Inconclusive:
      return fmt::format("{} against {}: inconclusive: {}; {}", row.label, report.base, numbers,
                         row.reason);
  }
  return "";
}

TextTable table_of(const CompareReport& report) {
  std::vector<TextTable::Column> columns;
  for (const std::string& title : kTitles) columns.push_back({title});
  columns.front().align = columns.back().align = TextTable::Align::Left;
  TextTable table(columns);
  for (const Row& row : rows_of(report)) table.add(row);
  return table;
}

Json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {{"low", interval->low}, {"high", interval->high}};
}

}  // namespace

std::string compare_table(const CompareReport& report) {
  std::string text = table_of(report).text();
  for (const Comparison& row : report.comparisons) text += sentence(report, row) + "\n";
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  return text;
}

std::string compare_markdown(const CompareReport& report) {
  std::string text = table_of(report).markdown() + "\n";
  for (const Comparison& row : report.comparisons) text += markdown_item(sentence(report, row));
  for (const std::string& note : report.notes) text += markdown_item("note: " + note);
  return text;
}

Json compare_to_json(const CompareReport& report) {
  Json rows = Json::array();
  for (const Comparison& row : report.comparisons) {
    const bool blocks = row.unit == CompareUnit::StepBlocks;
    rows.push_back({{"label", row.label},
                    {"verdict", words_for(row.verdict)},
                    {"reason", row.reason},
                    {"base_images_per_second", row.base_rate},
                    {"images_per_second", row.rate},
                    {"ratio", row.ratio.value},
                    {"ratio_95", interval_json(row.ratio.interval_95)},
                    {"shift_images_per_second", row.shift.middle},
                    {"shift_95", interval_json(row.shift.interval_95)},
                    {"mann_whitney_u", row.test.u},
                    {"p", row.p},
                    {"p_uncorrected", row.test.p},
                    {"p_is_exact", row.test.exact},
                    {"unit", blocks ? "blocks of steps" : "launches"},
                    {"base_measurements", row.base_count},
                    {"measurements", row.count},
                    {"base_block_steps", row.base_block},
                    {"block_steps", row.block}});
  }
  return {{"schema_version", 1},
          {"base", report.base},
          {"threshold", report.threshold},
          {"comparisons", rows},
          {"notes", report.notes}};
}

}  // namespace lockstep
