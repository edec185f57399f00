#include "app/commands/report_options.h"

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {

CommandSyntax report_syntax(ReportOptions& options) {
  std::vector<Flag> flags = {
      text_flag({"output", "DIR", "directory for the files [the first DIR]", &options.output}),
      text_flag({"pivot", "ROWS,COLUMNS",
                 "print images/sec by two axes, such as devices,synthetic-location; one table for "
                 "each combination of the others",
                 &options.pivot}),
      text_flag({"by", "AXIS",
                 "print which configurations are significantly faster: all pairs that differ in "
                 "this axis, such as variable-update",
                 &options.by}),
      switch_flag("markdown", "print Markdown tables", &options.markdown),
      switch_flag("csv", "print CSV", &options.csv),
      switch_flag("json", "print every configuration as JSON", &options.json),
      switch_flag("best", "print the fastest configuration per network and number of devices",
                  &options.best),
      switch_flag("wide", "print tables wider than 100 columns, with all numbers", &options.wide),
      text_flag({"baseline", "DIR", "compare with this sweep, and fail as --fail-on says",
                 &options.baseline})};
  for (Flag& flag : gate_flags(options.gate, {"slower", "failed", "missing", "inconclusive"})) {
    flags.push_back(std::move(flag));
  }
  return {.command = "report",
          .summary = "Reports sweeps as tables, CSV files, charts and a web page.",
          .flags = std::move(flags),
          .positional = Positional{
              .name = "DIR",
              .help = "directories of 'lockstep sweep'",
              .set = [&](const std::string& text) { options.directories.push_back(text); },
              .many = true}};
}

void check_options(ReportOptions& options) {
  std::vector<std::string> problems;
  if (options.directories.empty()) {
    problems.emplace_back("report needs a directory of 'lockstep sweep'");
  }
  if (options.markdown + options.csv + options.json > 1) {
    problems.emplace_back("--markdown, --csv and --json exclude each other; give one of them");
  }
  const bool several = !options.pivot.empty() && !options.by.empty();
  if (options.csv && (several || options.best)) {
    problems.emplace_back("--csv prints one table; give one of --pivot and --by, and no --best");
  }
  const bool other_tables = !options.pivot.empty() || !options.by.empty() || options.best;
  if (options.json && (other_tables || !options.baseline.empty())) {
    problems.emplace_back(
        "--json prints every configuration; --pivot, --by, --best and --baseline exclude it");
  }
  const bool gated = options.gate.fail_on_given || options.gate.rules.max_regression;
  if (gated && options.baseline.empty()) {
    problems.emplace_back("--fail-on and --max-regression require --baseline");
  }
  if (!problems.empty()) throw UsageError("{}", fmt::join(problems, "\n"));
  check_gate(options.gate);
}

}  // namespace lockstep
