// halving.h: finds the fastest of many runs with few launches of the slow ones.
//
// Successive halving (Jamieson and Talwalkar 2016): all candidates are launched once. The fastest
// part continues to the next round with several times as many launches each, until a few are left
// that are measured precisely. Launches of earlier rounds count in later ones.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sweep/run_sweep.h"

namespace lockstep {

struct HalvingRules {
  int factor = 3;         // 1/factor of the runs continue, with factor times the launches
  size_t least = 2;       // runs that always continue, so that the winner has a rival
  int most_launches = 9;  // of one candidate
};

struct HalvingRound {
  int launches;                // of each, those of earlier rounds included
  std::vector<SweepRun> runs;  // participants
};

// The fastest part of the runs by mean time of their launches, fastest first. Runs without a result
// never continue.
std::vector<SweepRun> survivors(const std::vector<SweepRun>& runs, const StoreContents& contents,
                                const HalvingRules& rules);

struct HalvingWatch {
  std::function<void(const HalvingRound&)> round = {};
  SweepWatch launches = {};
};

struct HalvingOutcome {
  std::vector<SweepRun> ranking;  // of the last round, fastest first; empty: all failed
  int rounds = 0;
  bool interrupted = false;
};

// `plan`: the candidates; its repeats are not used.
HalvingOutcome run_halving(const SweepPlan& plan, const HalvingRules& rules, ResultsStore& store,
                           const std::string& program,
                           const std::function<double(const SweepRun&)>& seconds_of,
                           const HalvingWatch& watch);

}  // namespace lockstep
