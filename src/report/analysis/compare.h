// compare.h: compares the throughput of runs and gives a verdict.
//
// A difference must be statistically significant and larger than a threshold. With several launches
// per side a launch is one measurement. With one launch per side it is a block of neighbouring
// steps, long enough that blocks are independent.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "measure/two_samples.h"
#include "report/results/run_result.h"

namespace lockstep {

struct CompareSide {
  std::string label;
  std::vector<RunResult> runs;  // launches of the same work
};

enum class CompareUnit { Launches, StepBlocks };
enum class Verdict { Faster, Slower, Same, Inconclusive };
std::string_view words_for(Verdict verdict);  // "faster"

// One side against the base. Rates are images per second.
struct Comparison {
  std::string label;
  CompareUnit unit = CompareUnit::Launches;
  int base_count = 0, count = 0;  // measurements on each side
  int base_block = 1, block = 1;  // steps per block, for StepBlocks
  double base_rate = 0, rate = 0;
  Ratio ratio;  // of the rates
  RankTest test;
  double p = 1;  // of the test, corrected for the number of comparisons
  Shift shift;   // of the rates
  Verdict verdict = Verdict::Inconclusive;
  bool too_few = false;  // too few measurements for any significant difference
  std::string reason;    // for people
};

struct CompareReport {
  std::string base;
  double threshold = 0;
  std::vector<Comparison> comparisons;
  std::vector<std::string> notes;  // caveats
};

// Differences in the work of the runs, one line each; empty: the same work.
std::vector<std::string> work_differences(std::span<const CompareSide> sides);

// Launches per side that are needed for a significant result with this many comparisons.
int enough_launches(size_t comparisons);

// Compares each side with its base; p is corrected for all comparisons. Throws UsageError if a run
// has no throughput.
struct ComparePair {
  CompareSide base, other;
};
std::vector<Comparison> compare_pairs(std::span<const ComparePair> pairs, double threshold);

// The first side is the base. `threshold`: the smallest relevant ratio is 1 + threshold. Throws
// UsageError if a run has no throughput.
CompareReport compare(std::span<const CompareSide> sides, double threshold);

}  // namespace lockstep
