// axis_groups.h: configurations by the values of one or two axes, in groups that are otherwise
// equal. Pivot tables and verdicts along an axis are made of them.
//
// An axis is an option of a run, or one of `devices` (of all hosts together), `nodes` and `engine`.
// An option that depends on a chosen axis does not split groups but joins the labels of that axis:
// one that each of its values determines (the batch size of a model), and one that only some of its
// values have (--num-ps of the strategies with servers). Options that change the work itself
// (network, devices, steps) always split groups.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/analysis/scaling.h"

namespace lockstep {

// The axis that a word names: also an alias, and with underscores. Throws UsageError that names the
// flag, the closest axis and those that vary.
std::string axis_named(std::string_view word, std::string_view flag, const ScalingReport& report);

// The two axes of a table of --pivot, such as "devices,synthetic-location". Throws UsageError.
struct PivotAxes {
  std::string rows, columns;
};
PivotAxes pivot_axes(const std::string& text, const ScalingReport& report);

// Says that all runs have the same value of it; absent: it varies.
std::optional<std::string> note_on_axis(const std::string& axis, const ScalingReport& report);

struct AxisLabels {
  std::string name;
  std::vector<std::string> values;  // different ones, in order: numbers by size, choices as in help
  std::vector<std::string> of;      // of each configuration of the report
};

struct AxisGroup {
  std::vector<std::string> settings;  // of GroupedAxes::others
  std::vector<size_t> members;        // indices in the report's configurations
};

struct GroupedAxes {
  std::vector<AxisLabels> axes;     // as chosen
  std::vector<std::string> others;  // names of the other axes that vary
  std::vector<AxisGroup> groups;    // in the order of their settings

  std::string heading(const AxisGroup& group) const;  // "model=alexnet, variable-update=horovod"
};
GroupedAxes group_by_axes(const ScalingReport& report, std::span<const std::string> axes);

}  // namespace lockstep
