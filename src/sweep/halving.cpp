#include "sweep/halving.h"

#include <algorithm>
#include <map>

#include "measure/statistics.h"
#include "report/results/launch_rate.h"

namespace lockstep {
namespace {

// Seconds per image of every launch, by id.
std::map<std::string, std::vector<double>> times_in(const StoreContents& contents) {
  std::map<std::string, std::vector<double>> times;
  for (const StoredRun& run : contents.runs) {
    const double rate = rate_of(run.result);
    if (run.measured() && !run.result.simulated() && rate > 0) times[run.id].push_back(1 / rate);
  }
  return times;
}

std::vector<SweepRun> ranked(const std::vector<SweepRun>& runs, const StoreContents& contents) {
  const auto times = times_in(contents);
  std::vector<std::pair<double, SweepRun>> order;
  for (const SweepRun& run : runs) {
    const auto found = times.find(run.id);
    if (found != times.end()) order.emplace_back(mean(found->second), run);
  }
  std::ranges::stable_sort(order, {}, [](const auto& each) { return each.first; });
  std::vector<SweepRun> result;
  for (auto& [time, run] : order) result.push_back(std::move(run));
  return result;
}

}  // namespace

std::vector<SweepRun> survivors(const std::vector<SweepRun>& runs, const StoreContents& contents,
                                const HalvingRules& rules) {
  std::vector<SweepRun> order = ranked(runs, contents);
  const size_t factor = static_cast<size_t>(rules.factor);
  const size_t part = (runs.size() + factor - 1) / factor;
  order.resize(std::min(order.size(), std::max(part, rules.least)));
  return order;
}

HalvingOutcome run_halving(const SweepPlan& plan, const HalvingRules& rules, ResultsStore& store,
                           const std::string& program,
                           const std::function<double(const SweepRun&)>& seconds_of,
                           const HalvingWatch& watch) {
  HalvingOutcome outcome;
  HalvingRound round = {.launches = 1, .runs = plan.runs};
  while (true) {
    if (watch.round) watch.round(round);
    SweepPlan now = plan;
    now.runs = round.runs;
    now.repeats = round.launches;
    outcome.interrupted = run_sweep(now, store, program, seconds_of, watch.launches).interrupted;
    ++outcome.rounds;
    if (outcome.interrupted || round.launches >= rules.most_launches) break;
    round.runs = survivors(round.runs, store.contents(), rules);
    if (round.runs.empty()) break;
    round.launches = std::min(round.launches * rules.factor, rules.most_launches);
  }
  outcome.ranking = ranked(round.runs, store.contents());
  return outcome;
}

}  // namespace lockstep
