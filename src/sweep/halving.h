// halving.h: finds the fastest of many runs without measuring all of them well.
//
// Successive halving (Jamieson and Talwalkar 2016): all candidates are launched once; the faster
// part of them goes on to the next round, where each is launched several times as often; and so on,
// until a few are left that are known well. Launches of earlier rounds count in later ones.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sweep/run_sweep.h"

namespace lockstep {

struct HalvingRules {
  int factor = 3;         // one in so many goes on, launched so many times as often
  size_t least = 2;       // that always go on: a winner needs somebody to beat
  int most_launches = 9;  // of one candidate
};

struct HalvingRound {
  int launches;                // of each, those of earlier rounds included
  std::vector<SweepRun> runs;  // who takes part
};

// The fastest part of the runs by the mean time of their launches, the fastest first; runs without
// any result never go on.
std::vector<SweepRun> survivors(const std::vector<SweepRun>& runs, const StoreContents& contents,
                                const HalvingRules& rules);

struct HalvingWatch {
  std::function<void(const HalvingRound&)> round = {};
  SweepWatch launches = {};
};

struct HalvingOutcome {
  std::vector<SweepRun> ranking;  // of the last round, the fastest first; empty: all failed
  int rounds = 0;
  bool interrupted = false;
};

// `plan`: the candidates; its repeats are not used.
HalvingOutcome run_halving(const SweepPlan& plan, const HalvingRules& rules, ResultsStore& store,
                           const std::string& program,
                           const std::function<double(const SweepRun&)>& seconds_of,
                           const HalvingWatch& watch);

}  // namespace lockstep
