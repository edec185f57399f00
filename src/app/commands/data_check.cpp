// data_check.cpp: `lockstep data check`: checks that a data set is complete and undamaged.
#include <fmt/format.h>

#include <ostream>

#include "app/command_line.h"
#include "app/commands/data_commands.h"
#include "base/error.h"
#include "base/text.h"
#include "config/json.h"
#include "config/json_text.h"
#include "config/run_json.h"
#include "data/formats/data_formats.h"
#include "data/pipeline/check_set.h"
#include "nn/datasets.h"

namespace lockstep {
namespace {

struct Options {
  std::string directory;
  int64_t threads = 0;
  bool json = false;
};

CommandSyntax syntax_for(Options& options) {
  return {
      .command = "data check",
      .summary =
          "Checks every example of a data set: checksums, images, labels, class balance.\n"
          "Exit code 1 if something is damaged or missing.",
      .flags = {switch_flag("json", "print JSON", &options.json),
                number_flag(
                    {"threads", "number of threads; 0: every core", &options.threads, {0, 4096}})},
      .positional =
          Positional{.name = "DIR",
                     .help = "directory of the data set",
                     .set = [&options](const std::string& word) { options.directory = word; },
                     .required = true}};
}

// Labels outside the data set's number of classes.
std::vector<std::string> label_problems(const CheckReport& report) {
  const int classes = find_dataset(report.data_name).classes;
  std::vector<std::string> problems;
  for (const auto& [label, count] : report.labels) {
    if (label >= 0 && label < classes) continue;
    problems.push_back(fmt::format("label {} of {}: {} has labels 0 to {}", label,
                                   count_text(count, "example"), report.data_name, classes - 1));
  }
  return problems;
}

bool is_whole(const CheckReport& report) {
  return report.damaged == 0 && report.examples > 0 && report.missing.count == 0 &&
         label_problems(report).empty();
}

Json json_of(const CheckReport& report) {
  Json labels = Json::object();
  for (const auto& [label, count] : report.labels) labels[std::to_string(label)] = count;
  return {{"format", report.format},
          {"data_name", report.data_name},
          {"examples", report.examples},
          {"bytes", report.bytes},
          {"damaged", report.damaged},
          {"damage", report.damage_lines},
          {"label_problems", label_problems(report)},
          {"labels", labels},
          {"files", report.groups},
          {"missing_files", report.missing.count},
          {"smallest_file_examples", report.smallest_group},
          {"largest_file_examples", report.largest_group},
          {"most_height", report.most_height},
          {"most_width", report.most_width}};
}

std::string text_of_report(const CheckReport& report, std::string_view split) {
  std::string text = fmt::format("{}: {} ({}), {}, {}\n", split, report.format, report.data_name,
                                 count_text(report.examples, "example"), bytes_text(report.bytes));
  if (report.groups > 1) {
    text +=
        fmt::format("  {} of {} to {} examples\n", count_text(report.groups, "file"),
                    thousands_text(report.smallest_group), thousands_text(report.largest_group));
  }
  if (!report.labels.empty()) {
    int64_t least = report.examples, most = 0;
    for (const auto& [label, count] : report.labels) {
      least = std::min(least, count);
      most = std::max(most, count);
    }
    text +=
        fmt::format("  {} from {} to {}, {} to {} examples of each\n",
                    count_text(std::ssize(report.labels), "label"), report.labels.begin()->first,
                    report.labels.rbegin()->first, thousands_text(least), thousands_text(most));
    text += fmt::format("  up to {}x{} pixels\n", report.most_width, report.most_height);
  }
  if (report.missing.count > 0) text += "  " + words_for(report.missing) + "\n";
  for (const std::string& line : label_problems(report)) text += "  " + line + "\n";
  for (const std::string& line : report.damage_lines) text += "  damaged: " + line + "\n";
  return text + fmt::format("  {} damaged\n", thousands_text(report.damaged));
}

}  // namespace

int data_check_command(RunContext& context, std::span<const std::string> arguments) {
  Options options;
  const CommandSyntax syntax = syntax_for(options);
  if (answered(context, syntax, arguments)) return kSuccess;
  if (options.directory.empty()) throw UsageError("data check needs the directory of a data set");
  const DataFormat& format = guess_format(options.directory);
  bool good = true;
  Json json = Json::object();
  for (const auto& [split, name] :
       {std::pair(Split::Training, "training"), std::pair(Split::Validation, "validation")}) {
    if (!format.is_there(options.directory, split)) continue;
    WorkBar bar(context, name);
    const CheckReport report =
        check_data_set({.directory = options.directory,
                        .split = split,
                        .threads = threads_or_all(options.threads)},
                       [&](int64_t done, int64_t all) { bar.show(done, all); });
    json[name] = json_of(report);
    if (!options.json) context.out << text_of_report(report, name);
    good = good && is_whole(report);
  }
  if (options.json) context.out << json_text(json, 1) << "\n";
  return good ? kSuccess : kFailure;
}

}  // namespace lockstep
