// verdicts.h: which of several configurations is faster, by the rules of compare.h: all pairs along
// an axis, and a ranking of alternatives on the same number of devices.
#pragma once

#include "report/analysis/axis_groups.h"
#include "report/analysis/regressions.h"

namespace lockstep {

// Two values of an axis; `faster` has the higher images/sec, significant or not.
struct PairVerdict {
  std::string faster, slower;  // labels of the axis
  Comparison difference;       // the faster against the slower
};

// Configurations that are equal but for the axis.
struct VerdictGroup {
  std::string heading;  // empty: nothing else varies
  std::vector<PairVerdict> pairs;
};

struct AxisVerdicts {
  std::string axis;
  std::vector<VerdictGroup> groups;  // those with at least two measured configurations
};

// p is corrected for the pairs of a group.
AxisVerdicts verdicts_along(const std::string& axis, const ScalingReport& report,
                            const RunCollection& collection, double threshold);

struct RankedRow {
  size_t configuration;                       // index in the report
  std::optional<Comparison> difference = {};  // against the fastest; absent: it is the fastest
};

// The configurations of one network on one number of devices, fastest first.
struct Ranking {
  std::string model;
  int devices = 1;
  std::vector<RankedRow> rows = {};
  size_t left_out = 0;  // slower ones
};

// Rankings of at least two configurations; at most `most` rows each. p is corrected for the rows.
std::vector<Ranking> rankings_of(const ScalingReport& report, const RunCollection& collection,
                                 double threshold, size_t most = 20);

// The rankings of a report without any scaling series, where speed-ups do not exist; else none.
std::vector<Ranking> alternatives_in(const ScalingReport& report, const RunCollection& collection,
                                     double threshold = 0.02);

}  // namespace lockstep
