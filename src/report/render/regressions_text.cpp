#include "report/render/regressions_text.h"

#include <fmt/format.h>

#include "report/render/compact_tables.h"
#include "report/render/footnotes.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

// For terminals: intervals as ±, and errors as footnotes.
std::string narrow_table(const BaselineReport& report) {
  constexpr auto kLeft = TextTable::Align::Left;
  TextTable table(
      {{"run", kLeft}, {"baseline"}, {"now"}, {"ratio (95 %)"}, {"p"}, {"verdict", kLeft}});
  Footnotes footnotes;
  for (const BrokenRun& run : report.broken) {
    table.add({run.label, "", "", "", "", "FAILED " + footnotes.mark({run.error})});
  }
  for (const Comparison& row : report.comparisons) {
    table.add({row.label, fmt::format("{:.2f}", row.base_rate), fmt::format("{:.2f}", row.rate),
               ratio_with_margin(row.ratio), fmt::format("{:.4f}", row.p),
               verdict_text(row, report.rules)});
  }
  return table.text_within() + footnotes.text();
}

TextTable table_of(const BaselineReport& report) {
  constexpr auto kLeft = TextTable::Align::Left;
  TextTable table({{"run", kLeft},
                   {"baseline"},
                   {"now"},
                   {"ratio"},
                   {"95 % confidence"},
                   {"p"},
                   {"verdict", kLeft}});
  for (const BrokenRun& run : report.broken) {
    table.add({run.label, "", "", "", "", "", "FAILED: " + run.error});
  }
  for (const Comparison& row : report.comparisons) {
    const auto& interval = row.ratio.interval_95;
    table.add({row.label, fmt::format("{:.2f}", row.base_rate), fmt::format("{:.2f}", row.rate),
               fmt::format("{:.3f}", row.ratio.value),
               interval ? fmt::format("{:.3f} to {:.3f}", interval->low, interval->high) : "none",
               fmt::format("{:.4f}", row.p), verdict_text(row, report.rules)});
  }
  return table;
}

}  // namespace

std::string verdict_text(const Comparison& row, const GateRules& rules) {
  const bool slower = row.verdict == Verdict::Slower;
  switch (gate(row, rules)) {
    case GateOutcome::Slower:
      return "REGRESSION";
    case GateOutcome::Passed:
      if (slower) return fmt::format("slower, but less than {}", rules.words());
      return row.verdict == Verdict::Inconclusive ? fmt::format("within {}", rules.words())
                                                  : std::string(words_for(row.verdict));
    case GateOutcome::Inconclusive:
      break;
  }
  if (slower) return fmt::format("inconclusive: slower, possibly more than {}", rules.words());
  return std::string("inconclusive") + (row.too_few ? ": too few launches" : "");
}

std::string baseline_table(const BaselineReport& report, TableWidth width) {
  std::string text = width == TableWidth::Wide ? table_of(report).text() : narrow_table(report);
  for (const std::string& note : report.notes) text += fitted("note: " + note + "\n", width);
  return text;
}

std::string baseline_markdown(const BaselineReport& report) {
  std::string text = table_of(report).markdown();
  if (!report.notes.empty()) text += "\n";
  for (const std::string& note : report.notes) text += markdown_item(note);
  return text;
}

}  // namespace lockstep
