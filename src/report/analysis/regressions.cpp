#include "report/analysis/regressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "base/error.h"
#include "config/run_label.h"
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

// A single launch is compared by its steps, which only the raw file has.
CompareSide side_of(const RunCollection& collection, const std::vector<size_t>& places,
                    const std::string& label, bool with_steps) {
  CompareSide side = {.label = label, .runs = {}};
  for (const size_t place : places) {
    const StoredRun& run = collection.runs[place];
    const bool raw = with_steps && !run.raw_file.empty();
    side.runs.push_back(raw ? read_raw(collection.directories[place], run) : run.result);
  }
  return side;
}

// With few launches and many comparisons every verdict is inconclusive. Without this note that
// would look like no regression.
std::optional<std::string> words_on_too_few(std::span<const Comparison> comparisons) {
  const auto blind = std::ranges::count(comparisons, true, &Comparison::too_few);
  if (blind == 0) return {};
  const int enough = enough_launches(comparisons.size());
  return fmt::format(
      "{} of {} comparisons have too few launches to detect any slowdown; use at least {} launches "
      "(--repeats {} in both sweeps)",
      blind, comparisons.size(), enough, enough);
}

}  // namespace

bool BaselineReport::regressed() const {
  return !broken.empty() || std::ranges::count(comparisons, Verdict::Slower, &Comparison::verdict);
}

BaselineReport against_baseline(const RunCollection& older, const RunCollection& newer,
                                double threshold) {
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
    const std::string label = run_label(newer.runs[places.front()].result.config, differing);
    pairs.push_back(
        {side_of(older, base->second, label, single), side_of(newer, places, label, single)});
  }
  BaselineReport report = {.comparisons = compare_pairs(pairs, threshold),
                           .broken = broken_runs(before, after, newer, differing),
                           .undecided = {},
                           .notes = {}};
  if (pairs.empty() && report.broken.empty()) {
    throw UsageError("the baseline has no run in common with these results");
  }
  const size_t only_old = before.size() - pairs.size() - report.broken.size();
  if (only_new > 0) {
    report.notes.push_back(fmt::format("{} runs are not in the baseline", only_new));
  }
  if (only_old > 0) {
    report.notes.push_back(
        fmt::format("{} runs of the baseline are not in these results", only_old));
  }
  report.undecided = words_on_too_few(report.comparisons);
  if (report.undecided) report.notes.push_back(*report.undecided);
  return report;
}

}  // namespace lockstep
