// two_samples.h: compares two samples: which is larger, and by how much.
//
// Samples must be independent of each other: launches of a program, or means over blocks of steps
// that are long enough. Nothing here assumes a distribution.
#pragma once

#include <optional>

#include "measure/confidence.h"

namespace lockstep {

// Mann-Whitney U test: how likely ranks as uneven as these are, were both rows alike.
struct RankTest {
  double u = 0;       // pairs in which the second sample is larger; ties count one half
  double p = 1;       // two-sided
  bool exact = true;  // counted over all ways to deal the ranks, ties included; else normal
};
RankTest mann_whitney(Samples first, Samples second);

// Hodges-Lehmann: the median of all differences second - first, with the interval that inverts the
// rank test (Lehmann 1975). No interval at 95 % exists for fewer than about four samples a side.
struct Shift {
  double middle = 0;
  std::optional<Interval> interval_95;
};
Shift hodges_lehmann(Samples first, Samples second);

// mean(second) / mean(first), with a 95 % interval: percentiles of 10,000 resamplings of both rows,
// taken as far out as Student's t asks for few samples (Hesterberg 2015). The draws are fixed. No
// interval with a single sample.
struct Ratio {
  double value = 1;
  std::optional<Interval> interval_95;
};
Ratio ratio_of_means(Samples first, Samples second);

// So long that means over blocks hardly depend on each other. A block as long as the dependence
// lasts still shares its ends with its neighbours; three times that is enough.
int independent_block_length(Samples samples);

// Means of neighbouring samples, in blocks of at least `length`, all of about the same size.
std::vector<double> block_means(Samples samples, int length);

// p-values of several tests together (Holm 1979): each is raised so that the chance of any false
// alarm stays what it is for one.
std::vector<double> holm(Samples p_values);

}  // namespace lockstep
