#include "report/regressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "config/run_label.h"
#include "report/text_table.h"

namespace lockstep {
namespace {

using Groups = std::map<std::string, std::vector<size_t>>;  // places of the launches, by id

// A simulation shares its id with the run that it stands for, and regresses nothing.
Groups measured_runs(const RunCollection& collection) {
  Groups groups;
  for (size_t i = 0; i < collection.runs.size(); ++i) {
    const StoredRun& run = collection.runs[i];
    if (run.measured() && !run.result.simulated()) groups[run.id].push_back(i);
  }
  return groups;
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

}  // namespace

bool BaselineReport::regressed() const {
  return std::ranges::count(comparisons, Verdict::Slower, &Comparison::verdict) > 0;
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
  if (pairs.empty()) throw Error("the baseline has no run in common with these results");
  BaselineReport report = {.comparisons = compare_pairs(pairs, threshold), .notes = {}};
  const size_t only_old = before.size() - pairs.size();
  if (only_new > 0) {
    report.notes.push_back(fmt::format("{} runs are not in the baseline", only_new));
  }
  if (only_old > 0) {
    report.notes.push_back(fmt::format("{} runs of the baseline were not measured now", only_old));
  }
  return report;
}

std::string baseline_table(const BaselineReport& report) {
  constexpr auto kLeft = TextTable::Align::Left;
  TextTable table({{"run", kLeft},
                   {"baseline"},
                   {"now"},
                   {"ratio"},
                   {"95 % confidence"},
                   {"p"},
                   {"verdict", kLeft}});
  for (const Comparison& row : report.comparisons) {
    const auto& interval = row.ratio.interval_95;
    table.add(
        {row.label, fmt::format("{:.2f}", row.base_rate), fmt::format("{:.2f}", row.rate),
         fmt::format("{:.3f}", row.ratio.value),
         interval ? fmt::format("{:.3f} to {:.3f}", interval->low, interval->high) : "none",
         fmt::format("{:.4f}", row.p),
         row.verdict == Verdict::Slower ? "REGRESSION" : std::string(words_for(row.verdict))});
  }
  std::string text = table.text();
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace lockstep
