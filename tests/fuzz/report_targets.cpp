// report_targets.cpp: readers of results, and all that reports make of them. Samples of ranks need
// not fit together: whoever wrote them may have written anything.
#include "app/commands/report_files.h"
#include "base/error.h"
#include "config/json.h"
#include "config/json_text.h"
#include "fuzz/targets.h"
#include "report/analysis/best.h"
#include "report/analysis/compare.h"
#include "report/analysis/critical_path.h"
#include "report/analysis/loss_budget.h"
#include "report/render/best_text.h"
#include "report/render/budget_text.h"
#include "report/render/compare_text.h"
#include "report/render/configuration_rows.h"
#include "report/render/scaling_charts.h"
#include "report/render/step_table.h"
#include "report/results/results_store.h"
#include "web/page_data.h"

namespace lockstep {
namespace {

// As compare and explain show one result. What was read can be written.
void read_result_text(ByteView bytes) {
  Json json = printable_json_in(text_of(bytes));
  if (!json.is_object()) return;
  RunResult result;
  try {
    result = result_from_json(json);
  } catch (const Json::exception&) {  // refused, as read_result() does
    return;
  }
  json_text(result_to_json(result));
  critical_path_of(result);
  details_of(result);
  const CompareSide sides[] = {{"a", {result}}, {"b", {result}}};
  const CompareReport compared = compare(sides, 0.01);
  compare_table(compared);
  json_text(compare_to_json(compared));
}

// Raw files that the lines name are not read.
PageSource source_of(ByteView bytes) {
  StoreContents contents = runs_in(text_of(bytes), "input");
  for (StoredRun& run : contents.runs) run.raw_file.clear();
  std::vector<std::string> directories(contents.runs.size(), "/nowhere");
  return {.name = "input",
          .collection = {.runs = std::move(contents.runs), .directories = std::move(directories)},
          .skipped = std::move(contents.skipped)};
}

// As `lockstep serve` shows them.
void read_results(ByteView bytes) { json_text(page_set(source_of(bytes))); }

// As `lockstep report` and `explain` print them.
void read_report(ByteView bytes) {
  const PageSource source = source_of(bytes);
  const auto& runs = source.collection.runs;
  const ScalingReport report = make_scaling(runs);
  const ReportContents contents = {.report = report,
                                   .source = source,
                                   .rankings = alternatives_in(report, source.collection, 0.01)};
  usual_tables(report, contents.rankings, /*wide=*/true);
  usual_tables(report, contents.rankings, /*wide=*/false);
  step_table(report);
  configurations_csv(report);
  json_text(configurations_json(report));
  const auto budgets = loss_budgets(report, runs);
  budget_answers(report, budgets, runs);
  best_table(report, best_of(report, runs, 0.01), TableWidth::Terminal);
  scaling_charts(report);
  report_markdown(contents);
}

constexpr FuzzTarget kTargets[] = {
    {"result", read_result_text},
    {"results", read_results},
    {"report", read_report},
};

}  // namespace

std::span<const FuzzTarget> report_targets() { return kTargets; }

}  // namespace lockstep
