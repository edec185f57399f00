#include "report/analysis/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "config/run_id.h"
#include "config/run_label.h"
#include "report/analysis/scaling_notes.h"
#include "report/analysis/trust.h"
#include "report/results/launch_rate.h"

namespace lockstep {
namespace {

constexpr std::string_view kData[] = {"data-dir", "data-name"};

// The axis of a series: hosts if their number differs, else devices per host.
std::string_view scaled_option(std::span<const Configuration> all) {
  const bool hosts = std::ranges::any_of(
      all, [&](const Configuration& each) { return each.config.nodes != all[0].config.nodes; });
  return hosts ? "nodes" : "num-devices";
}

std::string without(std::string_view option, const RunConfig& config) {
  return canonical_text(config, std::span(&option, 1));
}

// The options that distinguish series in their labels.
std::vector<std::string_view> settings_of_series(const ScalingReport& report) {
  const std::string_view scaled = scaled_option(report.configurations);
  std::vector<std::string_view> names = report.differing;
  std::erase(names, scaled);
  const bool per_host = std::ranges::any_of(report.configurations, [&](const Configuration& each) {
    return each.config.num_devices != report.configurations[0].config.num_devices;
  });
  if (scaled == "nodes" && per_host) names.emplace_back("num-devices");
  return names;
}

bool is_good(const StoredRun& run) { return run.measured() && rate_of(run.result) > 0; }

using Launch = std::tuple<std::string, bool, bool, int>;  // id, control, simulated, repeat
Launch launch_of(const StoredRun& run) {
  return {run.id, run.control, run.result.simulated(), run.repeat};
}

// Of a launch that was repeated after a failure, only the last attempt counts.
std::map<Launch, size_t> places_that_count(std::span<const StoredRun> runs) {
  std::map<Launch, size_t> places;
  for (size_t place = 0; place < runs.size(); ++place) {
    const auto [at, fresh] = places.try_emplace(launch_of(runs[place]), place);
    if (!fresh && !is_good(runs[at->second])) at->second = place;
  }
  return places;
}

std::string words_on_rate(double rate) {
  constexpr const char* kNothing = "nothing was measured";
  return std::isfinite(rate) ? fmt::format("{}: {} images/sec", kNothing, rate) : kNothing;
}

void add_launch(Configuration& to, const StoredRun& run, size_t place) {
  to.skipped = run.skipped();
  if (!is_good(run)) {
    if (!to.skipped) ++to.failed;
    to.error = run.result.error.value_or(words_on_rate(rate_of(run.result)));
    to.last_lines = run.last_lines;
    return;
  }
  to.devices = run.result.facts.devices;
  to.nodes = run.result.facts.nodes;
  to.threads = run.result.facts.threads;
  to.launches.push_back(place);
  to.seconds_per_image.push_back(1 / rate_of(run.result));
  to.mean_step += run.result.summary.mean_step;
  for (size_t i = 0; i < kPhaseNames.size(); ++i) {
    to.mean_phases[i] += run.result.summary.mean_phases[i];
  }
}

void finish(Configuration& each) {
  if (each.launches.empty()) return;
  const double n = static_cast<double>(each.launches.size());
  each.mean_step /= n;
  for (double& phase : each.mean_phases) phase /= n;
  each.speed = summarize_launches(each.seconds_per_image);
}

std::vector<Configuration> configurations_of(std::span<const StoredRun> runs, bool controls) {
  std::map<std::pair<std::string, bool>, Configuration> by_id;
  const std::map<Launch, size_t> counting = places_that_count(runs);
  for (size_t place = 0; place < runs.size(); ++place) {
    const StoredRun& run = runs[place];
    if (run.control != controls) continue;
    if (!is_good(run) && counting.at(launch_of(run)) != place) continue;
    const bool simulated = run.result.simulated();
    const auto [at, fresh] = by_id.try_emplace({run.id, simulated});
    Configuration& each = at->second;
    if (fresh) {
      each.id = run.id;
      each.simulated = simulated;
      each.config = run.result.config;
      each.devices = devices_of(run.result.config);
      each.nodes = run.result.config.nodes.value_or(1);
    }
    add_launch(each, run, place);
  }
  std::vector<Configuration> result;
  for (auto& [id, each] : by_id) {
    finish(each);
    result.push_back(std::move(each));
  }
  const std::string_view over = scaled_option(result);
  const auto key = [&](const Configuration& each) {
    return std::tuple(each.config.model, each.config.batch_size, engine_label(each.config),
                      without(over, each.config), each.simulated, each.devices);
  };
  std::ranges::sort(result, {}, key);
  return result;
}

Ratio scaled(Ratio ratio, double factor) {
  ratio.value *= factor;
  if (ratio.interval_95) {
    ratio.interval_95 = {ratio.interval_95->low * factor, ratio.interval_95->high * factor};
  }
  return ratio;
}

std::vector<Series> series_of(const ScalingReport& report) {
  std::vector<Series> all;
  std::map<std::pair<std::string, bool>, size_t> places;
  const std::string_view over = scaled_option(report.configurations);
  const std::vector<std::string_view> options = settings_of_series(report);
  for (size_t i = 0; i < report.configurations.size(); ++i) {
    const Configuration& each = report.configurations[i];
    if (!each.speed) continue;
    const auto [at, fresh] =
        places.try_emplace({without(over, each.config), each.simulated}, all.size());
    if (fresh) {
      const std::string settings = settings_label(each.config, options);
      all.push_back(
          {.label = fmt::format("{}:{} on {}{}{}{}", each.config.model, each.config.batch_size,
                                engine_label(each.config), settings.empty() ? "" : ", ", settings,
                                each.simulated ? ", simulated" : ""),
           .model = each.config.model,
           .engine = engine_label(each.config),
           .batch = each.config.batch_size,
           .simulated = each.simulated,
           .points = {}});
    }
    all[at->second].points.push_back({.configuration = i, .devices = each.devices});
  }
  return all;
}

// The base relative to itself is exactly 1.
void find_speed_ups(Series& series, const ScalingReport& report) {
  if (!series.scales()) return;
  const Configuration& base = report.configurations[series.points.front().configuration];
  for (ScalingPoint& point : series.points) {
    const Configuration& each = report.configurations[point.configuration];
    const double more = static_cast<double>(each.devices) / base.devices;
    point.speed_up = &each == &base ? Ratio{.value = 1, .interval_95 = {}}
                                    : speed_ratio(base.seconds_per_image, each.seconds_per_image);
    point.scaling_efficiency = scaled(*point.speed_up, 1 / more);
  }
}

// Over launches, like a throughput: the time that communication adds is what varies.
std::optional<Ratio> communication_efficiency_of(const Configuration& each,
                                                 std::span<const StoredRun> runs) {
  std::vector<double> slowdowns;
  for (const size_t place : each.launches) {
    const auto& alone = runs[place].result.independent;
    if (alone && alone->communication_efficiency > 0) {
      slowdowns.push_back(1 / alone->communication_efficiency);
    }
  }
  if (slowdowns.empty()) return {};
  const LaunchSummary summary = summarize_launches(slowdowns);
  return Ratio{.value = summary.images_per_second, .interval_95 = summary.images_per_second_95};
}

// The work without its images. The data set comes from the directory for real images and from the
// network for synthetic ones, so the resolved facts are compared, not the options.
std::string work_of(const Configuration& each, std::span<const StoredRun> runs) {
  const RunFacts& facts = runs[each.launches.front()].result.facts;
  return fmt::format("{}{} {}", canonical_text(each.config, kData), facts.dataset,
                     facts.image_size);
}

// `slowdown`: images/sec with synthetic images divided by those with real ones.
Ratio cost_of(const Ratio& slowdown) {
  const auto cost = [](double times) { return 1 - 1 / times; };
  Ratio result = {.value = cost(slowdown.value), .interval_95 = {}};
  if (const auto& known = slowdown.interval_95) {
    result.interval_95 = {.low = cost(known->low), .high = cost(known->high)};
  }
  return result;
}

void find_data_costs(std::vector<Configuration>& all, std::span<const StoredRun> runs) {
  std::map<std::string, const Configuration*> synthetic;
  for (const Configuration& each : all) {
    if (each.config.data_dir.empty() && each.speed && !each.simulated) {
      synthetic[work_of(each, runs)] = &each;
    }
  }
  for (Configuration& each : all) {
    if (each.config.data_dir.empty() || !each.speed || each.simulated) continue;
    const auto twin = synthetic.find(work_of(each, runs));
    if (twin == synthetic.end()) continue;
    each.data_cost = cost_of(speed_ratio(each.seconds_per_image, twin->second->seconds_per_image));
  }
}

// Predictions are told from measurements by their name; what only tells these apart is no setting.
std::vector<std::string_view> differing_in(const std::vector<Configuration>& configurations) {
  std::vector<RunConfig> all, kinds[2];
  for (const Configuration& each : configurations) {
    all.push_back(each.config);
    kinds[each.simulated ? 1 : 0].push_back(each.config);
  }
  std::vector<std::string_view> names = differing_options(all);
  const auto measured = differing_options(kinds[0]), simulated = differing_options(kinds[1]);
  std::erase_if(names, [&](std::string_view name) {
    return !std::ranges::count(measured, name) && !std::ranges::count(simulated, name);
  });
  return names;
}

}  // namespace

bool Configuration::phases_known() const {
  return mean_step > 0 && std::ranges::any_of(mean_phases, [](double phase) { return phase > 0; });
}

std::optional<double> Configuration::exposed_fraction() const {
  const double exposed = mean_phases[static_cast<size_t>(Phase::Communication)];
  if (!phases_known() || !std::isfinite(exposed)) return {};
  return exposed / mean_step;
}

std::vector<double> Configuration::phases_and_rest() const {
  std::vector<double> parts;
  double rest = mean_step;
  for (const double phase : mean_phases) {
    parts.push_back(std::isnan(phase) ? 0 : phase);
    rest -= parts.back();
  }
  parts.push_back(std::max(rest, 0.0));
  return parts;
}

bool ScalingReport::scales() const { return std::ranges::any_of(series, &Series::scales); }

std::string engine_of(const Configuration& each) {
  return engine_label(each.config) + (each.simulated ? ", simulated" : "");
}

std::string label_of(const ScalingReport& report, const Configuration& each) {
  return run_label(each.config, report.differing, each.devices) +
         (each.simulated ? ", simulated" : "");
}

ScalingReport make_scaling(std::span<const StoredRun> runs) {
  ScalingReport report;
  report.configurations = configurations_of(runs, /*controls=*/false);
  report.controls = configurations_of(runs, /*controls=*/true);
  for (Configuration& each : report.configurations) {
    each.step_times = step_times_of(each.launches, runs);
    each.warnings = reasons_for_distrust(each, runs);
    each.communication_efficiency = communication_efficiency_of(each, runs);
  }
  report.differing = differing_in(report.configurations);
  find_data_costs(report.configurations, runs);
  report.series = series_of(report);
  for (Series& series : report.series) find_speed_ups(series, report);
  report.notes = notes_on(report, runs);
  report.base_notes = notes_on_bases(report);
  return report;
}

}  // namespace lockstep
