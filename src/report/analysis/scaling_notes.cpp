#include "report/analysis/scaling_notes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "config/run_label.h"

namespace lockstep {
namespace {

constexpr double kAbove = 1.0005;  // 100.1 % in a table

// Settings that differ have a column in the table; the common ones are listed once.
void note_common_settings(const ScalingReport& report, std::vector<std::string>& notes) {
  std::vector<RunConfig> configs;
  for (const Configuration& each : report.configurations) configs.push_back(each.config);
  const auto common = common_options(configs);
  if (common.empty()) return;
  notes.push_back(fmt::format("in all runs: {}", settings_label(configs.front(), common)));
}

void note_mixtures(std::span<const StoredRun> runs, std::vector<std::string>& notes) {
  std::set<std::string> versions, hosts;
  for (const StoredRun& run : runs) {
    if (!run.measured() || run.result.simulated()) continue;
    versions.insert(run.result.program_version);
    hosts.insert(run.result.host.name);
  }
  if (versions.size() > 1) {
    notes.push_back(
        fmt::format("runs of different versions of lockstep: {}", fmt::join(versions, ", ")));
  }
  if (hosts.size() > 1) {
    notes.push_back(fmt::format("runs started on different machines: {}", fmt::join(hosts, ", ")));
  }
}

// Threads per device by number of devices.
std::map<int, int> threads_of(const Series& series, const ScalingReport& report) {
  std::map<int, int> threads;
  for (const ScalingPoint& point : series.points) {
    const Configuration& each = report.configurations[point.configuration];
    if (each.threads > 0 && !each.simulated) threads[point.devices] = each.threads;
  }
  return threads;
}

bool differ(const std::map<int, int>& threads) {
  return std::ranges::any_of(
      threads, [&](const auto& each) { return each.second != threads.begin()->second; });
}

void note_communication_above_100(const ScalingReport& report, std::vector<std::string>& notes) {
  std::vector<std::string> labels;
  for (const Configuration& each : report.configurations) {
    const auto& part = each.communication_efficiency;
    if (part && part->value >= kAbove) labels.push_back(label_of(report, each));
  }
  if (labels.empty()) return;
  notes.push_back(
      fmt::format("communication efficiency above 100 % ({}): the steps without communication were "
                  "slower by chance, or the clock or the caches changed between both measurements; "
                  "an interval that includes 100 % is noise",
                  few_of(std::move(labels))));
}

void note_scaling_above_100(const ScalingReport& report, std::vector<std::string>& notes) {
  std::vector<std::string> labels;
  for (const Series& series : report.series) {
    for (const ScalingPoint& point : series.points) {
      const bool above = point.scaling_efficiency && point.scaling_efficiency->value >= kAbove;
      if (above) labels.push_back(label_of(report, report.configurations[point.configuration]));
    }
  }
  if (labels.empty()) return;
  notes.push_back(
      fmt::format("scaling efficiency above 100 % ({}): more devices have more cache in all, or "
                  "the smallest run was slowed by its threads, its clock or other processes; an "
                  "interval that includes 100 % is noise",
                  few_of(std::move(labels))));
}

}  // namespace

std::string few_of(std::vector<std::string> labels) {
  constexpr size_t kMostNamed = 6;
  const size_t all = labels.size();
  labels.resize(std::min(all, kMostNamed));
  std::string names = fmt::format("{}", fmt::join(labels, ", "));
  if (all > kMostNamed) names += fmt::format(" and {} more", all - kMostNamed);
  return names;
}

std::optional<std::string> note_on_threads(const ScalingReport& report) {
  std::vector<std::string> labels;
  std::vector<std::string> words;
  for (const Series& series : report.series) {
    const std::map<int, int> threads = threads_of(series, report);
    if (!differ(threads)) continue;
    labels.push_back(series.label);
    if (!words.empty()) continue;
    for (const auto& [devices, count] : threads) {
      words.push_back(fmt::format("{} with {}", count, count_text(devices, "device")));
    }
  }
  if (labels.empty()) return {};
  return fmt::format(
      "threads per device differ: {} ({}). Speed-up and scaling efficiency compare unequal "
      "devices; "
      "the same --threads in all runs makes them equal",
      few_of(std::move(words)), few_of(std::move(labels)));
}

std::vector<std::string> notes_on(const ScalingReport& report, std::span<const StoredRun> runs) {
  std::vector<std::string> notes;
  note_common_settings(report, notes);
  note_mixtures(runs, notes);
  note_communication_above_100(report, notes);
  if (auto note = note_on_threads(report)) notes.push_back(std::move(*note));
  return notes;
}

std::vector<std::string> notes_on_bases(const ScalingReport& report) {
  std::vector<std::string> notes;
  std::set<int> bases;
  for (const Series& series : report.series) {
    if (series.scales()) bases.insert(series.points.front().devices);
  }
  for (const int base : bases) {
    notes.push_back(
        fmt::format("speed-up and scaling efficiency are relative to {} of the same series, with "
                    "the rest of the machine idle",
                    count_text(base, "device")));
  }
  note_scaling_above_100(report, notes);
  return notes;
}

}  // namespace lockstep
