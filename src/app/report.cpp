// report.cpp: `lockstep report`: what the sweeps in some directories say, as tables and files.
#include <fmt/ranges.h>

#include <filesystem>
#include <ostream>

#include "app/options.h"
#include "app/program.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "report/best.h"
#include "report/detail_charts.h"
#include "report/regressions.h"
#include "report/scaling_charts.h"
#include "report/scaling_text.h"
#include "web/page.h"
#include "web/page_data.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

struct Wishes {
  std::vector<std::string> directories;
  std::string output, baseline;
  double threshold = 0.02;
  bool markdown = false, best = false;
};

CommandSyntax syntax_for(Wishes& wishes) {
  const auto truth = [](const char* name, const char* help, bool& target) {
    return Flag{
        .name = name, .value_name = "", .help = help, .set = [&target](const std::string& text) {
          target = text == "true";
        }};
  };
  const auto directory = [](const char* name, const char* help, std::string& target) {
    return Flag{
        .name = name, .value_name = "DIR", .help = help, .set = [&target](const std::string& text) {
          target = text;
        }};
  };
  const auto threshold = [&](const std::string& text) {
    wishes.threshold = fraction_in("threshold", text);
  };
  return {
      .command = "report",
      .summary = "Says what sweeps measured, as a table, CSV files, pictures and a page.",
      .flags = {directory("output", "for the files; by default the first directory", wishes.output),
                truth("markdown", "the table as Markdown", wishes.markdown),
                truth("best", "the fastest configuration of each network and number of devices",
                      wishes.best),
                directory("baseline", "an older sweep: exit code 1 if a run has become slower",
                          wishes.baseline),
                {.name = "threshold",
                 .value_name = "X%",
                 .help = "smaller differences do not matter",
                 .set = threshold,
                 .default_text = "2%"}},
      .positional =
          Positional{.name = "DIR",
                     .help = "directories of 'lockstep sweep'",
                     .set = [&](const std::string& text) { wishes.directories.push_back(text); },
                     .many = true}};
}

PageSource collect(const std::vector<std::string>& directories, std::ostream& err) {
  PageSource source = {.name = fmt::format("{}", fmt::join(directories, ", ")), .collection = {}};
  RunCollection& collection = source.collection;
  for (const std::string& directory : directories) {
    StoreContents contents = read_store(directory);
    for (const std::string& line : contents.skipped) {
      err << "note: " << line << "\n";
      source.skipped.push_back(line);
    }
    for (StoredRun& run : contents.runs) {
      collection.runs.push_back(std::move(run));
      collection.directories.push_back(directory);
    }
  }
  if (collection.runs.empty())
    throw UsageError("there is no result in {}", fmt::join(directories, ", "));
  return source;
}

std::string output_of(const Wishes& wishes) {
  if (!wishes.output.empty()) return wishes.output;
  const fs::path first = wishes.directories.front();
  if (fs::is_directory(first)) return first.string();
  return first.has_parent_path() ? first.parent_path().string() : ".";
}

// Returns the names of what was written.
std::vector<std::string> write_files(const ScalingReport& report, const PageSource& source,
                                     const std::string& output) {
  std::vector<ReportFile> files = scaling_csv(report);
  const FoundDetails details = find_details(report, source.collection);
  std::ranges::move(scaling_charts(report), std::back_inserter(files));
  std::ranges::move(detail_charts(report, details.launches), std::back_inserter(files));
  const Json page = {{"sets", {page_set(source, report, details)}},
                     {"published", published_layer()}};
  files.push_back({"report.html", page_html(page)});
  files.push_back({"report.md", scaling_markdown(report)});
  std::vector<std::string> names;
  for (const ReportFile& file : files) {
    const fs::path path = fs::path(output) / file.path;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) throw Error("cannot make {}: {}", path.parent_path().string(), error.message());
    write_whole_file(path.string(), file.text);
    names.push_back(path.string());
  }
  return names;
}

}  // namespace

int report_command(Surroundings& around, std::span<const std::string> arguments) {
  Wishes wishes;
  const CommandSyntax syntax = syntax_for(wishes);
  if (parse(syntax, arguments) == Parsed::Help) {
    around.out << help_text(syntax);
    return kSuccess;
  }
  if (wishes.directories.empty()) throw UsageError("report needs a directory of 'lockstep sweep'");
  const PageSource source = collect(wishes.directories, around.err);
  const RunCollection& collection = source.collection;
  const ScalingReport report = make_scaling(collection.runs);
  around.out << (wishes.markdown ? scaling_markdown(report) : scaling_table(report));
  if (wishes.best) {
    around.out << "\n" << best_table(report, best_of(report, collection.runs, wishes.threshold));
  }
  for (const std::string& name : write_files(report, source, output_of(wishes))) {
    around.err << "wrote " << name << "\n";
  }
  if (wishes.baseline.empty()) return kSuccess;
  const BaselineReport compared = against_baseline(
      collect({wishes.baseline}, around.err).collection, collection, wishes.threshold);
  around.out << "\n" << baseline_table(compared);
  return compared.regressed() ? kFailure : kSuccess;
}

}  // namespace lockstep
