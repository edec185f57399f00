// report.cpp: `lockstep report`: reports sweeps as tables, CSV files, charts and a web page.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "app/command_line.h"
#include "app/commands/report_files.h"
#include "app/commands/report_options.h"
#include "app/program.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/text.h"
#include "config/json_text.h"
#include "report/analysis/scaling_notes.h"
#include "report/render/best_text.h"
#include "report/render/budget_text.h"
#include "report/render/compact_tables.h"
#include "report/render/configuration_rows.h"
#include "report/render/pivot_text.h"
#include "report/render/regressions_text.h"
#include "report/render/scaling_text.h"
#include "report/render/step_table.h"
#include "report/render/verdicts_text.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::string output_of(const ReportOptions& options) {
  if (!options.output.empty()) return options.output;
  const fs::path first = options.directories.front();
  if (fs::is_directory(first)) return first.string();
  return first.has_parent_path() ? first.parent_path().string() : ".";
}

// A table that was asked for by axes, in all its forms.
struct AskedTable {
  std::string text, markdown, csv;
  std::string file;  // of the CSV
  std::vector<std::string> axes;
};

std::vector<AskedTable> asked_tables(const ReportOptions& options, const ScalingReport& report,
                                     const RunCollection& collection) {
  std::vector<AskedTable> tables;
  if (!options.pivot.empty()) {
    const auto [rows, columns] = pivot_axes(options.pivot, report);
    const Pivot pivot = make_pivot(report, rows, columns);
    tables.push_back({.text = pivot_tables(pivot, report, options.width()),
                      .markdown = pivot_markdown(pivot, report),
                      .csv = pivot_csv(pivot, report),
                      .file = fmt::format("pivot_{}_{}.csv", rows, columns),
                      .axes = {rows, columns}});
  }
  if (!options.by.empty()) {
    const std::string axis = axis_named(options.by, "by", report);
    const AxisVerdicts verdicts =
        verdicts_along(axis, report, collection, options.gate.rules.threshold);
    tables.push_back({.text = verdict_tables(verdicts, options.width()),
                      .markdown = verdict_markdown(verdicts),
                      .csv = verdict_csv(verdicts),
                      .file = fmt::format("by_{}.csv", axis),
                      .axes = {axis}});
  }
  return tables;
}

// Instead of the usual tables, which report.md has.
std::string text_of(const ReportOptions& options, const std::vector<AskedTable>& asked,
                    const ReportContents& contents) {
  const ScalingReport& report = contents.report;
  const bool usual = asked.empty(), markdown = options.format() == TableFormat::Markdown;
  if (options.format() == TableFormat::AsJson) {
    return json_text(configurations_json(report), 1) + "\n";
  }
  if (options.format() == TableFormat::Csv) {
    return usual ? configurations_csv(report) : asked.front().csv;
  }
  std::vector<std::string> parts;
  for (const AskedTable& table : asked) parts.push_back(markdown ? table.markdown : table.text);
  if (usual && markdown) parts.push_back(report_markdown(contents));
  if (usual && !markdown) {
    std::ranges::move(usual_tables(report, contents.rankings, options.wide),
                      std::back_inserter(parts));
    parts.push_back(options.wide ? step_table(report) : compact_step_table(report));
    const auto& runs = contents.source.collection.runs;
    parts.push_back(budget_answers(report, loss_budgets(report, runs), runs));
  }
  if (options.best) {
    const auto best =
        best_of(report, contents.source.collection.runs, options.gate.rules.threshold);
    parts.push_back(markdown ? best_markdown(report, best)
                             : best_table(report, best, options.width()));
  }
  if (contents.compared && !(usual && markdown)) {  // report_markdown() has it
    parts.push_back(markdown ? baseline_markdown(*contents.compared)
                             : baseline_table(*contents.compared, options.width()));
  }
  return joined_tables(parts);
}

int conclude(const BaselineReport& compared, const GateOptions& gate, std::ostream& err) {
  std::vector<std::string> failed;
  for (const BrokenRun& run : compared.broken) failed.push_back(run.label);
  return conclude_gate({.all = compared.comparisons.size(),
                        .base = "the baseline",
                        .slower = compared.slower(),
                        .failed = failed,
                        .missing = compared.missing,
                        .inconclusive = compared.undecided},
                       gate, err);
}

void refuse_itself(const ReportOptions& options) {
  for (const std::string& directory : options.directories) {
    std::error_code unknown;
    if (std::filesystem::equivalent(directory, options.baseline, unknown))
      throw UsageError("--baseline {} is the directory of the report itself", options.baseline);
  }
}

}  // namespace

int report_command(RunContext& context, std::span<const std::string> arguments) {
  ReportOptions options;
  const CommandSyntax syntax = report_syntax(options);
  if (answered(context, syntax, arguments)) return kSuccess;
  check_options(options);
  const PageSource source = collect_results(options.directories, context.err);
  const RunCollection& collection = source.collection;
  const ScalingReport report = make_scaling(collection.runs);
  ReportContents contents = {.report = report, .source = source, .baseline = options.baseline};
  contents.rankings = alternatives_in(report, collection, options.gate.rules.threshold);
  if (!options.baseline.empty()) {
    refuse_itself(options);
    contents.compared =
        against_baseline(collect_results({options.baseline}, context.err).collection, collection,
                         options.gate.rules);
  }
  const std::vector<AskedTable> asked = asked_tables(options, report, collection);
  for (const AskedTable& table : asked) {
    contents.more_markdown.push_back(table.markdown);
    contents.more_files.push_back({table.file, table.csv});
    for (const std::string& axis : table.axes) {
      if (const auto note = note_on_axis(axis, report)) context.err << "note: " << *note << "\n";
    }
  }
  context.out << text_of(options, asked, contents) << std::flush;
  if (const auto note = note_on_threads(report); note && !asked.empty()) {
    context.err << "note: " << *note << "\n";
  }
  const std::string output = output_of(options);
  for (const std::string& file : write_report_files(contents, output, context.err)) {
    context.err << "wrote " << printable((fs::path(output) / file).string()) << "\n";
  }
  return contents.compared ? conclude(*contents.compared, options.gate, context.err) : kSuccess;
}

}  // namespace lockstep
