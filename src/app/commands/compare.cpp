// compare.cpp: `lockstep compare`: which of several measurements is faster.
#include <fmt/ranges.h>

#include <filesystem>
#include <ostream>

#include "app/options.h"
#include "app/program.h"
#include "base/error.h"
#include "base/text.h"
#include "report/render/compare_text.h"

namespace lockstep {
namespace {

struct Wishes {
  std::string base, other;         // of --a and --b
  std::vector<std::string> words;  // a side each
  double threshold = 0.02;
  bool markdown = false, json = false, any_work = false;
};

Flag switch_for(const char* name, const char* help, bool& target) {
  return {.name = name, .value_name = "", .help = help, .set = [&target](const std::string& text) {
            target = text == "true";
          }};
}

Flag text_for(const char* name, const char* help, std::string& target) {
  return {.name = name,
          .value_name = "FILE,...",
          .help = help,
          .set = [&target](const std::string& text) { target = text; }};
}

CommandSyntax syntax_for(Wishes& wishes) {
  const auto word = [&](const std::string& text) { wishes.words.push_back(text); };
  const auto threshold = [&](const std::string& text) {
    wishes.threshold = fraction_in("threshold", text);
  };
  return {
      .command = "compare",
      .summary = "Says which of several measurements is faster, if any.",
      .flags = {text_for("a", "launches of the base, instead of naming it first", wishes.base),
                text_for("b", "launches to compare with --a", wishes.other),
                {.name = "threshold",
                 .value_name = "X%",
                 .help = "smaller differences do not matter",
                 .set = threshold,
                 .default_text = "2%"},
                switch_for("allow-different-work",
                           "compare runs of different models, batches or devices", wishes.any_work),
                switch_for("markdown", "as a Markdown table", wishes.markdown),
                switch_for("json", "as JSON", wishes.json)},
      .positional = Positional{
          .name = "RESULT.json",
          .help = "results of 'train --result'; the first is the base. Several launches of one "
                  "side: a.json,b.json",
          .set = word,
          .many = true}};
}

std::vector<std::string> sides_in(const Wishes& wishes) {
  if (wishes.base.empty() != wishes.other.empty()) {
    throw UsageError("--a and --b belong together");
  }
  std::vector<std::string> sides = wishes.words;
  if (!wishes.base.empty()) {
    sides.insert(sides.begin(), {wishes.base, wishes.other});
  }
  if (sides.size() < 2) {
    throw UsageError("compare needs at least two results: the base, and one to compare with it");
  }
  if (wishes.markdown && wishes.json) throw UsageError("give one of --markdown and --json");
  return sides;
}

// The name of the file, or "a.json and 2 more"; the path where two would be called the same.
CompareSide read_side(const std::string& list) {
  CompareSide side;
  const std::vector<std::string> paths = split(list, ',');
  for (const std::string& path : paths) side.runs.push_back(read_result(path));
  side.label = std::filesystem::path(paths.front()).filename().string();
  if (paths.size() > 1) side.label += fmt::format(" and {} more", paths.size() - 1);
  return side;
}

void make_labels_differ(std::vector<CompareSide>& sides, const std::vector<std::string>& lists) {
  for (size_t i = 0; i < sides.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (sides[i].label != sides[j].label) continue;
      sides[i].label = split(lists[i], ',').front();
      sides[j].label = split(lists[j], ',').front();
    }
  }
}

}  // namespace

int compare_command(RunContext& context, std::span<const std::string> arguments) {
  Wishes wishes;
  const CommandSyntax syntax = syntax_for(wishes);
  if (parse(syntax, arguments) == Parsed::Help) {
    context.out << help_text(syntax);
    return kSuccess;
  }
  const std::vector<std::string> lists = sides_in(wishes);
  std::vector<CompareSide> sides;
  for (const std::string& list : lists) sides.push_back(read_side(list));
  make_labels_differ(sides, lists);
  const std::vector<std::string> differences = work_differences(sides);
  if (!differences.empty() && !wishes.any_work) {
    throw UsageError(
        "these runs did different work (--allow-different-work compares them anyway):\n{}",
        fmt::join(differences, "\n"));
  }
  CompareReport report = compare(sides, wishes.threshold);
  for (const std::string& line : differences) report.notes.push_back("different work: " + line);
  context.out << (wishes.json       ? compare_to_json(report).dump(1) + "\n"
                  : wishes.markdown ? compare_markdown(report)
                                    : compare_table(report));
  return kSuccess;
}

}  // namespace lockstep
