// compare.cpp: `lockstep compare`: tests which of several measurements is faster.
#include <fmt/ranges.h>

#include <filesystem>
#include <ostream>

#include "app/command_line.h"
#include "app/commands/gate_flags.h"
#include "app/program.h"
#include "base/error.h"
#include "base/text.h"
#include "config/json.h"
#include "config/json_text.h"
#include "report/render/compare_text.h"

namespace lockstep {
namespace {

struct Options {
  std::string base, other;         // of --a and --b
  std::vector<std::string> words;  // a side each
  GateOptions gate = {};
  bool markdown = false, json = false, any_work = false;
};

CommandSyntax syntax_for(Options& options) {
  const auto word = [&](const std::string& text) { options.words.push_back(text); };
  std::vector<Flag> flags = {
      text_flag(
          {"a", "FILE,...", "results of the base, instead of the first argument", &options.base}),
      text_flag({"b", "FILE,...", "results to compare with --a", &options.other}),
      switch_flag("allow-different-work",
                  "compare runs even if model, batch size or devices differ", &options.any_work),
      switch_flag("markdown", "print a Markdown table", &options.markdown),
      switch_flag("json", "print JSON", &options.json)};
  for (Flag& flag : gate_flags(options.gate, {"slower", "inconclusive"})) {
    flags.push_back(std::move(flag));
  }
  return {.command = "compare",
          .summary = "Tests which of several measurements is faster.",
          .flags = std::move(flags),
          .positional = Positional{
              .name = "RESULT.json",
              .help = "results of 'train --result'; the first is the base; several launches of one "
                      "side: a.json,b.json",
              .set = word,
              .many = true}};
}

std::vector<std::string> sides_in(const Options& options) {
  if (options.base.empty() != options.other.empty()) {
    throw UsageError("--a and --b require each other");
  }
  std::vector<std::string> sides = options.words;
  if (!options.base.empty()) {
    sides.insert(sides.begin(), {options.base, options.other});
  }
  if (sides.size() < 2) {
    throw UsageError("compare needs at least two results: the base and one to compare with it");
  }
  for (size_t i = 1; i < sides.size(); ++i) {
    if (sides[i] == sides.front())
      throw UsageError("{} is given twice: a result differs from itself in nothing", sides[i]);
  }
  if (options.markdown && options.json)
    throw UsageError("--markdown and --json exclude each other; give one of them");
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

// Without a gate the verdicts are in the table, and the exit code is 0.
int conclude(const CompareReport& report, const GateOptions& gate_options, std::ostream& err) {
  if (gate_options.fail_on.empty()) return kSuccess;
  GateFindings findings = {.all = report.comparisons.size(), .base = report.base, .slower = {}};
  for (const Comparison& each : report.comparisons) {
    if (gate(each, gate_options.rules) == GateOutcome::Slower)
      findings.slower.push_back(each.label);
  }
  findings.inconclusive = words_on_inconclusive(report.comparisons, gate_options.rules);
  return conclude_gate(findings, gate_options, err);
}

}  // namespace

int compare_command(RunContext& context, std::span<const std::string> arguments) {
  Options options;
  const CommandSyntax syntax = syntax_for(options);
  if (answered(context, syntax, arguments)) return kSuccess;
  const std::vector<std::string> lists = sides_in(options);
  check_gate(options.gate);
  std::vector<CompareSide> sides;
  for (const std::string& list : lists) sides.push_back(read_side(list));
  make_labels_differ(sides, lists);
  const std::vector<std::string> differences = work_differences(sides);
  if (!differences.empty() && !options.any_work) {
    throw UsageError(
        "these runs did different work (--allow-different-work compares them anyway):\n{}",
        fmt::join(differences, "\n"));
  }
  CompareReport report = compare(sides, options.gate.rules.threshold);
  for (const std::string& line : differences) report.notes.push_back("different work: " + line);
  context.out << (options.json       ? json_text(compare_to_json(report), 1) + "\n"
                  : options.markdown ? compare_markdown(report)
                                     : compare_table(report))
              << std::flush;
  return conclude(report, options.gate, context.err);
}

}  // namespace lockstep
