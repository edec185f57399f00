#include "report/analysis/regressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "base/error.h"
#include "base/text.h"
#include "config/run_label.h"
#include "report/analysis/scaling_notes.h"
#include "report/results/launch_rate.h"

namespace lockstep {
namespace {

using Groups = std::map<std::string, std::vector<size_t>>;  // indices of the launches, by id

// Simulated results share the id of their run and are not compared.
Groups measured_runs(const RunCollection& collection) {
  Groups groups;
  for (size_t i = 0; i < collection.runs.size(); ++i) {
    const StoredRun& run = collection.runs[i];
    const bool counts = run.measured() && rate_of(run.result) > 0;
    if (counts && !run.result.simulated()) groups[run.id].push_back(i);
  }
  return groups;
}

// Runs that the baseline measured and that only failed now.
std::vector<BrokenRun> broken_runs(const Groups& before, const Groups& after,
                                   const RunCollection& newer,
                                   std::span<const std::string_view> differing) {
  std::map<std::string, BrokenRun> broken;  // with the error of the last launch
  for (const StoredRun& run : newer.runs) {
    if (run.result.simulated() || after.contains(run.id) || !before.contains(run.id)) continue;
    broken[run.id] = {
        run_label(run.result.config, differing),
        run.result.error.value_or(run.measured() ? "nothing was measured" : "did not finish")};
  }
  std::vector<BrokenRun> result;
  for (auto& [id, run] : broken) result.push_back(std::move(run));
  return result;
}

std::vector<std::string> missing_runs(const Groups& before, const RunCollection& older,
                                      const RunCollection& newer,
                                      std::span<const std::string_view> differing) {
  std::set<std::string> here;
  for (const StoredRun& run : newer.runs) {
    if (!run.result.simulated()) here.insert(run.id);
  }
  std::vector<std::string> labels;
  for (const auto& [id, places] : before) {
    if (here.contains(id)) continue;
    const RunResult& run = older.runs[places.front()].result;
    labels.push_back(run_label(run.config, differing, run.facts.devices));
  }
  return labels;
}

}  // namespace

CompareSide side_of(const RunCollection& collection, std::span<const size_t> places,
                    const std::string& label, bool with_steps) {
  CompareSide side = {.label = label, .runs = {}};
  for (const size_t place : places) {
    const StoredRun& run = collection.runs[place];
    side.runs.push_back(run.result);
    if (!with_steps || run.raw_file.empty()) continue;
    try {
      side.runs.back() = read_raw(collection.directories[place], run);
    } catch (const Error&) {  // without its steps the comparison is inconclusive, and says so
    }
  }
  return side;
}

std::vector<std::string> BaselineReport::slower() const {
  std::vector<std::string> labels;
  for (const Comparison& each : comparisons) {
    if (gate(each, rules) == GateOutcome::Slower) labels.push_back(each.label);
  }
  return labels;
}

bool BaselineReport::regressed() const { return !broken.empty() || !slower().empty(); }

BaselineReport against_baseline(const RunCollection& older, const RunCollection& newer,
                                const GateRules& rules) {
  const Groups before = measured_runs(older), after = measured_runs(newer);
  std::vector<RunConfig> configs;
  for (const StoredRun& run : newer.runs) configs.push_back(run.result.config);
  const auto differing = differing_options(configs);
  std::vector<ComparePair> pairs;
  size_t only_new = 0;
  for (const auto& [id, places] : after) {
    const auto base = before.find(id);
    if (base == before.end()) {
      ++only_new;
      continue;
    }
    const bool single = places.size() == 1 && base->second.size() == 1;
    const RunResult& run = newer.runs[places.front()].result;
    const std::string label = run_label(run.config, differing, run.facts.devices);
    pairs.push_back(
        {side_of(older, base->second, label, single), side_of(newer, places, label, single)});
  }
  BaselineReport report = {.rules = rules,
                           .comparisons = compare_pairs(pairs, rules.threshold),
                           .broken = broken_runs(before, after, newer, differing),
                           .missing = missing_runs(before, older, newer, differing),
                           .notes = {}};
  if (pairs.empty() && report.broken.empty()) {
    throw UsageError("the baseline has no run in common with these results");
  }
  if (only_new > 0) {
    report.notes.push_back(fmt::format("{} {} not in the baseline", count_text(only_new, "run"),
                                       only_new == 1 ? "is" : "are"));
  }
  if (!report.missing.empty()) {
    report.notes.push_back(fmt::format("not in these results: {} of the baseline: {}",
                                       count_text(std::ssize(report.missing), "run"),
                                       few_of(report.missing)));
  }
  report.undecided = words_on_inconclusive(report.comparisons, rules);
  if (report.undecided) report.notes.push_back(*report.undecided);
  return report;
}

}  // namespace lockstep
