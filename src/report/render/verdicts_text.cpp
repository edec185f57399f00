#include "report/render/verdicts_text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/render/compact_tables.h"
#include "report/render/csv.h"
#include "report/render/footnotes.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

constexpr auto kLeft = TextTable::Align::Left;

std::string ratio_text(const Ratio& ratio) {
  if (!ratio.interval_95) return fmt::format("{:.3f}", ratio.value);
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", ratio.value, ratio.interval_95->low,
                     ratio.interval_95->high);
}

std::string marked_verdict(const Comparison& difference, Footnotes& footnotes) {
  if (difference.verdict != Verdict::Inconclusive) return words_on(difference);
  return "inconclusive " + footnotes.mark({difference.reason});
}

// `footnotes`: of a terminal, for the reasons; null: they are in the table, and so are intervals.
TextTable table_of(const AxisVerdicts& verdicts, const VerdictGroup& group,
                   Footnotes* footnotes = nullptr) {
  TextTable table({{verdicts.axis, kLeft},
                   {"images/sec"},
                   {"against", kLeft},
                   {"images/sec"},
                   {"ratio (95 %)"},
                   {"p (corrected)"},
                   {"verdict", kLeft}});
  for (const PairVerdict& pair : group.pairs) {
    const Comparison& difference = pair.difference;
    table.add({pair.faster, fmt::format("{:.2f}", difference.rate), pair.slower,
               fmt::format("{:.2f}", difference.base_rate),
               footnotes ? ratio_with_margin(difference.ratio) : ratio_text(difference.ratio),
               fmt::format("{:.4f}", difference.p),
               footnotes ? marked_verdict(difference, *footnotes) : words_on(difference)});
  }
  return table;
}

std::string heading_of(const AxisVerdicts& verdicts, const VerdictGroup& group) {
  return fmt::format("along {}{}{}:", verdicts.axis, group.heading.empty() ? "" : ", ",
                     group.heading);
}

constexpr const char* kNothing = "nothing to compare: no two configurations differ in {} alone\n";

TextTable table_of(const ScalingReport& report, const Ranking& ranking) {
  TextTable table({{"rank"},
                   {"configuration", kLeft},
                   {"images/sec"},
                   {"ratio to the fastest (95 %)"},
                   {"p (corrected)"},
                   {"verdict", kLeft}});
  for (size_t i = 0; i < ranking.rows.size(); ++i) {
    const RankedRow& row = ranking.rows[i];
    const Configuration& each = report.configurations[row.configuration];
    const auto& difference = row.difference;
    table.add({fmt::to_string(i + 1), label_of(report, each),
               fmt::format("{:.2f}", each.speed->images_per_second),
               difference ? ratio_text(difference->ratio) : "1",
               difference ? fmt::format("{:.4f}", difference->p) : "",
               difference ? words_on(*difference) : "fastest"});
  }
  return table;
}

std::string heading_of(const Ranking& ranking) {
  return fmt::format("ranking of {} on {}:", ranking.model, count_text(ranking.devices, "device"));
}

std::string rest_of(const Ranking& ranking) {
  if (ranking.left_out == 0) return "";
  return fmt::format("not listed: {}", count_text(ranking.left_out, "slower configuration"));
}

}  // namespace

std::string words_on(const Comparison& difference) {
  if (difference.verdict == Verdict::Same) return "no significant difference";
  std::string words(words_for(difference.verdict));
  if (difference.verdict == Verdict::Inconclusive) words += ": " + difference.reason;
  return words;
}

std::string verdict_tables(const AxisVerdicts& verdicts, TableWidth width) {
  if (verdicts.groups.empty()) return fmt::format(fmt::runtime(kNothing), verdicts.axis);
  std::string text;
  Footnotes footnotes;
  for (const VerdictGroup& group : verdicts.groups) {
    const TextTable table =
        table_of(verdicts, group, width == TableWidth::Wide ? nullptr : &footnotes);
    text += (text.empty() ? "" : "\n") + fitted(heading_of(verdicts, group) + "\n", width) +
            table.text(width);
  }
  return text + footnotes.text();
}

std::string verdict_markdown(const AxisVerdicts& verdicts) {
  if (verdicts.groups.empty()) return fmt::format(fmt::runtime(kNothing), verdicts.axis);
  std::string text;
  for (const VerdictGroup& group : verdicts.groups) {
    text += (text.empty() ? "" : "\n") + markdown_text(heading_of(verdicts, group)) + "\n\n" +
            table_of(verdicts, group).markdown();
  }
  return text;
}

std::string verdict_csv(const AxisVerdicts& verdicts) {
  const std::string header[] = {
      "group", verdicts.axis, "images_per_sec", "against", "against_images_per_sec",
      "ratio", "ratio_low",   "ratio_high",     "p",       "verdict",
      "reason"};
  std::string text = csv_line(header);
  for (const VerdictGroup& group : verdicts.groups) {
    for (const auto& [faster, slower, difference] : group.pairs) {
      const auto& interval = difference.ratio.interval_95;
      std::optional<double> low, high;
      if (interval) low = interval->low, high = interval->high;
      const std::string row[] = {group.heading,
                                 faster,
                                 csv_number(difference.rate),
                                 slower,
                                 csv_number(difference.base_rate),
                                 csv_number(difference.ratio.value),
                                 csv_number(low),
                                 csv_number(high),
                                 csv_number(difference.p),
                                 std::string(words_for(difference.verdict)),
                                 difference.reason};
      text += csv_line(row);
    }
  }
  return text;
}

std::string ranking_tables(const ScalingReport& report, std::span<const Ranking> rankings) {
  std::string text;
  for (const Ranking& ranking : rankings) {
    text +=
        (text.empty() ? "" : "\n") + heading_of(ranking) + "\n" + table_of(report, ranking).text();
    if (ranking.left_out > 0) text += "note: " + rest_of(ranking) + "\n";
  }
  return text;
}

std::string ranking_markdown(const ScalingReport& report, std::span<const Ranking> rankings) {
  std::string text;
  for (const Ranking& ranking : rankings) {
    text += (text.empty() ? "" : "\n") + markdown_text(heading_of(ranking)) + "\n\n" +
            table_of(report, ranking).markdown();
    if (ranking.left_out > 0) text += "\n" + markdown_item(rest_of(ranking));
  }
  return text;
}

}  // namespace lockstep
