// compare.h: is one way to train faster than another?
//
// A verdict needs two things: that chance does not explain the difference, and that it is large
// enough to matter. What is counted as one measurement is a launch when each side has several;
// with one launch a side it is a block of neighbouring steps, long enough that blocks do not
// depend on each other.
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
  int base_block = 1, block = 1;  // steps in each, of StepBlocks
  double base_rate = 0, rate = 0;
  Ratio ratio;  // of the rates
  RankTest test;
  double p = 1;  // of the test, raised for the number of comparisons
  Shift shift;   // of the rates
  Verdict verdict = Verdict::Inconclusive;
  bool too_few = false;  // measurements: no difference, however large, could have come out
  std::string reason;    // in words
};

struct CompareReport {
  std::string base;
  double threshold = 0;
  std::vector<Comparison> comparisons;
  std::vector<std::string> notes;  // what to know before believing it
};

// Where the runs did not do the same work: one line for each difference. Empty: they did.
std::vector<std::string> work_differences(std::span<const CompareSide> sides);

// Launches a side with which each of so many comparisons can come out as faster or slower.
int enough_launches(size_t comparisons);

// Each other against its base; p is raised for all of them together. Throws UsageError when a run
// has nothing to compare.
struct ComparePair {
  CompareSide base, other;
};
std::vector<Comparison> compare_pairs(std::span<const ComparePair> pairs, double threshold);

// The first side is the base. `threshold`: the least ratio that matters is 1 + threshold. Throws
// UsageError when a run has nothing to compare.
CompareReport compare(std::span<const CompareSide> sides, double threshold);

}  // namespace lockstep
