#include "app/commands/report_files.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <set>

#include "base/atomic_file.h"
#include "base/error.h"
#include "config/json.h"
#include "report/analysis/fill_paths.h"
#include "report/render/budget_text.h"
#include "report/render/compact_tables.h"
#include "report/render/configuration_rows.h"
#include "report/render/detail_charts.h"
#include "report/render/regressions_text.h"
#include "report/render/scaling_charts.h"
#include "report/render/scaling_text.h"
#include "report/render/step_table.h"
#include "report/render/verdicts_text.h"
#include "report/results/results_store.h"
#include "web/page.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostRawFiles = 40;  // of older results, which have no critical path

std::vector<ReportFile> files_of(const ReportContents& contents, std::ostream& err) {
  const ScalingReport& report = contents.report;
  std::vector<ReportFile> files = scaling_csv(report);
  files.push_back({"configurations.csv", configurations_csv(report)});
  files.insert(files.end(), contents.more_files.begin(), contents.more_files.end());
  const FoundDetails details = find_details(report, contents.source.collection);
  for (const std::string& note : details.notes) err << "note: " << note << "\n";
  std::ranges::move(scaling_charts(report), std::back_inserter(files));
  std::ranges::move(detail_charts(report, details.launches), std::back_inserter(files));
  Json set = page_set(contents.source, report, details);
  if (contents.compared) set["baseline"] = baseline_json(contents.baseline, *contents.compared);
  files.push_back(
      {"report.html", page_html({{"sets", {std::move(set)}}, {"published", published_layer()}})});
  files.push_back({"report.md", report_markdown(contents)});
  return files;
}

}  // namespace

PageSource collect_results(const std::vector<std::string>& directories, std::ostream& err) {
  PageSource source = {.name = fmt::format("{}", fmt::join(directories, ", ")), .collection = {}};
  RunCollection& collection = source.collection;
  // Counting a launch twice would narrow the confidence intervals without new evidence.
  std::set<fs::path> seen;
  std::set<std::string> launches;
  for (const std::string& directory : directories) {
    std::error_code error;  // a missing file is reported below
    if (!seen.insert(fs::weakly_canonical(results_file(directory), error)).second) {
      err << fmt::format("note: {} is given twice; it counts once\n", directory);
      continue;
    }
    StoreContents contents = read_store(directory);
    for (const std::string& line : contents.skipped) {
      err << "note: " << line << "\n";
      source.skipped.push_back(line);
    }
    size_t copies = 0;
    for (StoredRun& run : contents.runs) {
      if (!launches.insert(identity_of(run)).second) {
        ++copies;
        continue;
      }
      collection.runs.push_back(std::move(run));
      collection.directories.push_back(directory);
    }
    if (copies > 0) {
      source.skipped.push_back(
          fmt::format("{}: {} of its launches are copies of other launches here; they count once",
                      directory, copies));
      err << "note: " << source.skipped.back() << "\n";
    }
  }
  if (collection.runs.empty())
    throw UsageError("no results in {}; run 'lockstep sweep' first", fmt::join(directories, ", "));
  fill_paths(collection, kMostRawFiles);
  return source;
}

std::string joined_tables(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : "\n") + part;
  }
  return text;
}

std::vector<std::string> usual_tables(const ScalingReport& report,
                                      std::span<const Ranking> rankings, bool wide) {
  if (wide) return {scaling_table(report), ranking_tables(report, rankings)};
  return {compact_scaling_table(report), compact_ranking_tables(report, rankings)};
}

std::string report_markdown(const ReportContents& contents) {
  const ScalingReport& report = contents.report;
  std::vector<std::string> parts = {
      scaling_markdown(report), ranking_markdown(report, contents.rankings), step_markdown(report)};
  const std::vector<StoredRun>& runs = contents.source.collection.runs;
  parts.push_back(budget_markdown(report, loss_budgets(report, runs), runs));
  parts.insert(parts.end(), contents.more_markdown.begin(), contents.more_markdown.end());
  if (contents.compared) parts.push_back(baseline_markdown(*contents.compared));
  return joined_tables(parts);
}

std::vector<std::string> write_report_files(const ReportContents& contents,
                                            const std::string& output, std::ostream& err) {
  std::vector<std::string> written;
  for (const ReportFile& file : files_of(contents, err)) {
    const fs::path path = fs::path(output) / file.path;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) throw Error("cannot create {}: {}", path.parent_path().string(), error.message());
    write_whole_file(path.string(), file.text);
    written.push_back(file.path);
  }
  return written;
}

}  // namespace lockstep
