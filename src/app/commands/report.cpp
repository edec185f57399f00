// report.cpp: `lockstep report`: reports sweeps as tables, CSV files, charts and a web page.
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <ostream>
#include <set>

#include "app/flags.h"
#include "app/program.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "config/json.h"
#include "report/render/best_text.h"
#include "report/render/detail_charts.h"
#include "report/render/regressions_text.h"
#include "report/render/scaling_charts.h"
#include "report/render/scaling_text.h"
#include "report/render/step_table.h"
#include "web/page.h"
#include "web/page_data.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> directories;
  std::string output, baseline;
  double threshold = 0.02;
  bool markdown = false, best = false;
};

CommandSyntax syntax_for(Options& options) {
  return {
      .command = "report",
      .summary = "Reports sweeps as tables, CSV files, charts and a web page.",
      .flags = {text_flag(
                    {"output", "DIR", "directory for the files [the first DIR]", &options.output}),
                switch_flag("markdown", "print Markdown tables", &options.markdown),
                switch_flag("best",
                            "print the fastest configuration per network and number of devices",
                            &options.best),
                text_flag({"baseline", "DIR",
                           "compare with this sweep: exit code 1 if a run is slower or fails, 2 if "
                           "launches are too few to decide",
                           &options.baseline}),
                threshold_flag(&options.threshold)},
      .positional =
          Positional{.name = "DIR",
                     .help = "directories of 'lockstep sweep'",
                     .set = [&](const std::string& text) { options.directories.push_back(text); },
                     .many = true}};
}

fs::path file_of(const std::string& directory) {
  return fs::is_directory(directory) ? fs::path(directory) / ResultsStore::kFile
                                     : fs::path(directory);
}

PageSource collect(const std::vector<std::string>& directories, std::ostream& err) {
  PageSource source = {.name = fmt::format("{}", fmt::join(directories, ", ")), .collection = {}};
  RunCollection& collection = source.collection;
  // Counting a launch twice would narrow the confidence intervals without new evidence.
  std::set<fs::path> seen;
  std::set<std::string> launches;
  for (const std::string& directory : directories) {
    std::error_code error;  // a missing file is reported below
    if (!seen.insert(fs::weakly_canonical(file_of(directory), error)).second) {
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
  return source;
}

std::string output_of(const Options& options) {
  if (!options.output.empty()) return options.output;
  const fs::path first = options.directories.front();
  if (fs::is_directory(first)) return first.string();
  return first.has_parent_path() ? first.parent_path().string() : ".";
}

// Tables below each other.
std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : "\n") + part;
  }
  return text;
}

std::string markdown_of(const ScalingReport& report,
                        const std::optional<BaselineReport>& compared) {
  return joined({scaling_markdown(report), step_markdown(report),
                 compared ? baseline_markdown(*compared) : ""});
}

void write_files(const ScalingReport& report, const PageSource& source,
                 const std::optional<BaselineReport>& compared, const Options& options,
                 std::ostream& err) {
  const std::string output = output_of(options);
  std::vector<ReportFile> files = scaling_csv(report);
  const FoundDetails details = find_details(report, source.collection);
  for (const std::string& note : details.notes) err << "note: " << note << "\n";
  std::ranges::move(scaling_charts(report), std::back_inserter(files));
  std::ranges::move(detail_charts(report, details.launches), std::back_inserter(files));
  Json set = page_set(source, report, details);
  if (compared) set["baseline"] = baseline_json(options.baseline, *compared);
  files.push_back(
      {"report.html", page_html({{"sets", {std::move(set)}}, {"published", published_layer()}})});
  files.push_back({"report.md", markdown_of(report, compared)});
  for (const ReportFile& file : files) {
    const fs::path path = fs::path(output) / file.path;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) throw Error("cannot create {}: {}", path.parent_path().string(), error.message());
    write_whole_file(path.string(), file.text);
    err << "wrote " << path.string() << "\n";
  }
}

// Too few launches to detect a regression are no success: exit code 2.
int verdict_of(const BaselineReport& compared, std::ostream& err) {
  if (compared.regressed()) return kFailure;
  if (!compared.undecided) return kSuccess;
  err << "lockstep: no verdict on the baseline: " << *compared.undecided << "\n";
  return kUsage;
}

}  // namespace

int report_command(RunContext& context, std::span<const std::string> arguments) {
  Options options;
  const CommandSyntax syntax = syntax_for(options);
  if (parse(syntax, arguments) == Parsed::Help) {
    context.out << help_text(syntax);
    return kSuccess;
  }
  if (options.directories.empty()) throw UsageError("report needs a directory of 'lockstep sweep'");
  const PageSource source = collect(options.directories, context.err);
  const RunCollection& collection = source.collection;
  const ScalingReport report = make_scaling(collection.runs);
  std::optional<BaselineReport> compared;
  if (!options.baseline.empty()) {
    compared = against_baseline(collect({options.baseline}, context.err).collection, collection,
                                options.threshold);
  }
  const std::vector<BestRow> best =
      options.best ? best_of(report, collection.runs, options.threshold) : std::vector<BestRow>{};
  context.out << (options.markdown ? joined({markdown_of(report, compared),
                                             options.best ? best_markdown(report, best) : ""})
                                   : joined({scaling_table(report), step_table(report),
                                             options.best ? best_table(report, best) : "",
                                             compared ? baseline_table(*compared) : ""}))
              << std::flush;
  write_files(report, source, compared, options, context.err);
  return compared ? verdict_of(*compared, context.err) : kSuccess;
}

}  // namespace lockstep
