#include "report/analysis/axis_groups.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/text.h"
#include "config/run_options.h"

namespace lockstep {
namespace {

// Axes that are not simply an option, with the options whose place they take.
struct DerivedAxis {
  std::string_view name;
  std::string (*value)(const Configuration&);
  std::vector<std::string_view> covers;
  std::vector<std::string_view> covers_per_host = {};  // if --num-devices is the same in all
};

std::span<const DerivedAxis> derived_axes() {
  static const DerivedAxis kAxes[] = {
      {"devices",
       [](const Configuration& each) { return fmt::to_string(each.devices); },
       {"num-devices"},
       {"nodes", "num-workers", "hosts"}},
      {"nodes",
       [](const Configuration& each) { return fmt::to_string(each.nodes); },
       {"nodes", "hosts"}},
      {"engine", engine_of, {"engine", "program"}},
  };
  return kAxes;
}

const DerivedAxis* find_derived(std::string_view name) {
  const auto axes = derived_axes();
  const auto found = std::ranges::find(axes, name, &DerivedAxis::name);
  return found == axes.end() ? nullptr : &*found;
}

std::string value_on(std::string_view axis, const Configuration& each) {
  const DerivedAxis* derived = find_derived(axis);
  return derived ? derived->value(each) : text_of(each.config, *find_option(axis));
}

bool varies(std::string_view axis, const ScalingReport& report) {
  const auto& all = report.configurations;
  return std::ranges::any_of(all, [&](const Configuration& each) {
    return value_on(axis, each) != value_on(axis, all.front());
  });
}

// Those that configurations are told apart by, in the order of the help; `engine` has both of its
// options in one.
std::vector<std::string> varying_options(const ScalingReport& report) {
  std::vector<std::string> names;
  for (const RunOption& option : run_options()) {
    if (!is_identity(option) || option.name == "program") continue;
    if (varies(option.name, report)) names.push_back(option.name);
  }
  return names;
}

std::vector<std::string> axes_to_offer(const ScalingReport& report) {
  std::vector<std::string> names = varying_options(report);
  const auto per_host = std::ranges::find(names, "num-devices");
  if (varies("devices", report)) {
    names.insert(per_host == names.end() ? names.begin() : names.erase(per_host), "devices");
  }
  return names;
}

std::set<std::string> covered_by(std::span<const std::string> axes, const ScalingReport& report) {
  std::set<std::string> covered(axes.begin(), axes.end());
  for (const std::string& axis : axes) {
    const DerivedAxis* derived = find_derived(axis);
    if (!derived) continue;
    covered.insert(derived->covers.begin(), derived->covers.end());
    if (varies("num-devices", report)) continue;
    covered.insert(derived->covers_per_host.begin(), derived->covers_per_host.end());
  }
  return covered;
}

// What the work of a run is. Runs that differ in it are no alternatives to each other.
constexpr std::string_view kWork[] = {"model",       "num-devices",       "nodes",
                                      "num-workers", "num-batches",       "num-epochs",
                                      "batch-size",  "num-warmup-batches"};

// Whether an option goes with an axis, as the head of this file's header says.
bool joins(const std::string& option, const std::string& axis, const ScalingReport& report) {
  if (!varies(axis, report)) return false;
  const bool of_network = axis == "model" && option == "batch-size";
  if (!of_network && std::ranges::count(kWork, option) > 0) return false;
  std::map<std::string, std::set<std::string>> values;  // of the option, by value of the axis
  for (const Configuration& each : report.configurations) {
    values[value_on(axis, each)].insert(value_on(option, each));
  }
  const auto one = [](const auto& each) { return each.second.size() == 1; };
  const auto none = [](const auto& each) {
    return each.second.size() == 1 && each.second.contains("");
  };
  const auto some = [](const auto& each) { return !each.second.contains(""); };
  const bool determined = std::ranges::all_of(values, one);
  const bool only_some_have_it =
      std::ranges::any_of(values, none) &&
      std::ranges::all_of(values, [&](const auto& each) { return none(each) || some(each); });
  return determined || only_some_have_it;
}

// Numbers by size, choices in the order of the help, anything else by name.
using AxisOrder = std::tuple<double, size_t, std::string>;
AxisOrder order_of(const std::string& axis, const std::string& label) {
  const std::string value = split(label, ' ').front();
  const RunOption* option = find_derived(axis) ? nullptr : find_option(axis);
  size_t place = 0;
  if (option) {
    const auto& choices = option->details.choices;
    place = static_cast<size_t>(std::ranges::find(choices, value) - choices.begin());
  }
  return {finite_number(value).value_or(0), place, label};
}

AxisLabels labels_on(const std::string& axis, std::span<const std::string> joined,
                     const ScalingReport& report) {
  AxisLabels labels = {.name = axis, .values = {}, .of = {}};
  for (const Configuration& each : report.configurations) {
    std::string label = value_on(axis, each);
    if (label.empty()) label = "none";
    for (const std::string& option : joined) {
      const std::string value = value_on(option, each);
      if (!value.empty()) label += fmt::format(" {}={}", option, value);
    }
    labels.of.push_back(label);
    if (!std::ranges::count(labels.values, label)) labels.values.push_back(label);
  }
  std::ranges::sort(labels.values, {}, [&](const auto& label) { return order_of(axis, label); });
  return labels;
}

}  // namespace

std::string axis_named(std::string_view word, std::string_view flag, const ScalingReport& report) {
  if (find_derived(word)) return std::string(word);
  const RunOption* option = find_option(word);
  if (option && option->name == "program") return "engine";
  if (option && is_identity(*option)) return option->name;
  std::vector<std::string> names;
  for (const DerivedAxis& axis : derived_axes()) names.emplace_back(axis.name);
  for (const RunOption& each : run_options()) {
    if (is_identity(each)) names.push_back(each.name);
  }
  const std::string near = closest(word, names);
  if (report.configurations.empty()) {
    throw UsageError("--{}: unknown axis '{}'{}", flag, word,
                     near.empty() ? "" : fmt::format("; did you mean {}?", near));
  }
  const std::vector<std::string> varying = axes_to_offer(report);
  throw UsageError("--{}: unknown axis '{}'; {}xes that vary here: {}", flag, word,
                   near.empty() ? "a" : fmt::format("did you mean {}? A", near),
                   varying.empty() ? "none" : fmt::format("{}", fmt::join(varying, ", ")));
}

PivotAxes pivot_axes(const std::string& text, const ScalingReport& report) {
  const std::vector<std::string> words = split(text, ',');
  if (words.size() != 2) {
    throw UsageError("--pivot {}: needs two axes, such as devices,synthetic-location", text);
  }
  const PivotAxes axes = {.rows = axis_named(words[0], "pivot", report),
                          .columns = axis_named(words[1], "pivot", report)};
  if (axes.rows == axes.columns) throw UsageError("--pivot {}: both axes are {}", text, axes.rows);
  return axes;
}

std::optional<std::string> note_on_axis(const std::string& axis, const ScalingReport& report) {
  if (report.configurations.empty() || varies(axis, report)) return {};
  const std::string value = value_on(axis, report.configurations.front());
  const std::vector<std::string> varying = axes_to_offer(report);
  return fmt::format("{} is {} in all runs; axes that vary here: {}", axis,
                     value.empty() ? "not set" : value,
                     varying.empty() ? "none" : fmt::format("{}", fmt::join(varying, ", ")));
}

std::string GroupedAxes::heading(const AxisGroup& group) const {
  std::vector<std::string> words;
  for (size_t i = 0; i < others.size(); ++i) {
    if (!group.settings[i].empty()) words.push_back(others[i] + "=" + group.settings[i]);
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

GroupedAxes group_by_axes(const ScalingReport& report, std::span<const std::string> axes) {
  GroupedAxes result;
  const std::set<std::string> covered = covered_by(axes, report);
  std::map<std::string, std::vector<std::string>> joined;  // options, by axis
  for (const std::string& option : varying_options(report)) {
    if (covered.contains(option)) continue;
    const auto axis = std::ranges::find_if(
        axes, [&](const std::string& each) { return joins(option, each, report); });
    if (axis != axes.end()) {
      joined[*axis].push_back(option);
    } else {
      result.others.push_back(option);
    }
  }
  for (const std::string& axis : axes) {
    result.axes.push_back(labels_on(axis, joined[axis], report));
  }
  std::map<std::vector<std::string>, size_t> places;
  for (size_t i = 0; i < report.configurations.size(); ++i) {
    std::vector<std::string> settings;
    for (const std::string& other : result.others) {
      settings.push_back(value_on(other, report.configurations[i]));
    }
    const auto [at, fresh] = places.try_emplace(settings, result.groups.size());
    if (fresh) result.groups.push_back({.settings = std::move(settings), .members = {}});
    result.groups[at->second].members.push_back(i);
  }
  std::ranges::stable_sort(result.groups, {}, [&](const AxisGroup& group) {
    std::vector<AxisOrder> order;
    for (size_t i = 0; i < result.others.size(); ++i) {
      order.push_back(order_of(result.others[i], group.settings[i]));
    }
    return order;
  });
  return result;
}

}  // namespace lockstep
