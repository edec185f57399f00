#include "app/commands/gate_flags.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "base/error.h"
#include "base/exit_code.h"
#include "base/text.h"
#include "report/analysis/scaling_notes.h"

namespace lockstep {
namespace {

constexpr const char* kInconclusive = "inconclusive";

std::vector<std::string> kinds_in(const std::string& text, const std::vector<std::string>& known) {
  std::vector<std::string> kinds = split(text, ',');
  for (const std::string& kind : kinds) {
    if (std::ranges::count(known, kind) || (kind == "none" && kinds.size() == 1)) continue;
    const std::string near = closest(kind, known);
    throw UsageError("--fail-on: unknown value '{}'; {}se none, or some of {}", kind,
                     near.empty() ? "u" : fmt::format("did you mean {}? U", near),
                     fmt::join(known, ","));
  }
  std::erase(kinds, "none");
  return kinds;
}

bool fails(const GateOptions& options, std::string_view kind) {
  return std::ranges::count(options.fail_on, kind) > 0;
}

std::string slower_words(const GateFindings& findings) {
  const size_t slower = findings.slower.size();
  if (findings.all == 1) return "the only run is";
  return fmt::format("{} of {} runs {}", slower, findings.all, slower == 1 ? "is" : "are");
}

}  // namespace

std::vector<Flag> gate_flags(GateOptions& options, std::vector<std::string> kinds) {
  const std::string codes =
      fmt::format("{}; {}: exit code 3",
                  kinds.size() > 2 ? "slower, failed, missing: exit code 1" : "slower: exit code 1",
                  kInconclusive);
  Flag fail_on = {.name = "fail-on",
                  .value_name = "LIST",
                  .help = fmt::format("findings that fail, or none ({})", codes),
                  .set =
                      [&options, kinds](const std::string& text) {
                        options.fail_on = kinds_in(text, kinds);
                        options.fail_on_given = true;
                      },
                  .default_text = options.fail_on.empty()
                                      ? "none; with --max-regression: slower,inconclusive"
                                      : fmt::format("{}", fmt::join(options.fail_on, ","))};
  Flag max_regression = {
      .name = "max-regression",
      .value_name = "X%",
      .help =
          "largest loss of images/sec that is allowed; where a larger one is neither shown nor "
          "excluded, a run is inconclusive [every run with the verdict slower fails]",
      .set = [&options](const std::string& text) {
        options.rules.max_regression = fraction_in("max-regression", text);
      }};
  return {threshold_flag(&options.rules.threshold), std::move(fail_on), std::move(max_regression)};
}

void check_gate(GateOptions& options) {
  const auto& allowed = options.rules.max_regression;
  if (!allowed) return;
  if (*allowed <= 0 || *allowed >= 1 || *allowed < options.rules.threshold) {
    throw UsageError(
        "--max-regression {:.3g}%: must be below 100 % and at least --threshold {:.3g}%, below "
        "which differences do not count",
        100 * *allowed, 100 * options.rules.threshold);
  }
  if (!options.fail_on_given && options.fail_on.empty())
    options.fail_on = {"slower", kInconclusive};
}

int conclude_gate(const GateFindings& findings, const GateOptions& options, std::ostream& err) {
  int code = kSuccess;
  const auto tell = [&](std::string_view kind, const std::vector<std::string>& labels,
                        const std::string& what) {
    if (labels.empty()) return;
    if (fails(options, kind)) code = kFailure;
    err << fmt::format("{}: {}: {}\n", fails(options, kind) ? "lockstep" : "note", what,
                       few_of(labels));
  };
  const auto limit = options.rules.max_regression
                         ? fmt::format(" by more than {}", options.rules.words())
                         : std::string();
  tell("slower", findings.slower,
       fmt::format("{} slower than {}{}", slower_words(findings), findings.base, limit));
  tell("failed", findings.failed,
       fmt::format("{} of the baseline failed", count_text(std::ssize(findings.failed), "run")));
  tell("missing", findings.missing,
       fmt::format("{} of the baseline missing", count_text(std::ssize(findings.missing), "run")));
  if (!findings.inconclusive) return code;
  const bool counts = fails(options, kInconclusive);
  err << fmt::format("{}: {}\n", counts ? "lockstep" : "note", *findings.inconclusive);
  return code == kSuccess && counts ? kUndecided : code;
}

}  // namespace lockstep
