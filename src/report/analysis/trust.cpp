#include "report/analysis/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "measure/mann_kendall.h"
#include "report/results/launch_rate.h"

namespace lockstep {
namespace {

constexpr double kUnsteady = 0.05;  // between launches
constexpr double kStolen = 0.01;
constexpr size_t kLeastForTrend = 6;  // launches

using Launches = std::vector<const StoredRun*>;
using Reason = std::optional<std::string> (*)(const Configuration&, const Launches&);

long count(const Launches& launches, const std::function<bool(const RunResult&)>& is) {
  return std::ranges::count_if(launches, [&](const StoredRun* run) { return is(run->result); });
}

std::optional<std::string> few_launches(const Configuration&, const Launches& launches) {
  if (launches.size() >= kFewestLaunches) return {};
  return fmt::format("{} launch{}: a confidence interval needs at least {}; raise --repeats",
                     launches.size(), launches.size() == 1 ? "" : "es", kFewestLaunches);
}

std::optional<std::string> failures(const Configuration& each, const Launches&) {
  if (each.failed == 0) return {};
  return fmt::format("{} launch{} failed ({}); --retry-failed repeats them", each.failed,
                     each.failed == 1 ? "" : "es", each.error);
}

std::optional<std::string> oversubscribed(const Configuration&, const Launches& launches) {
  const RunResult& run = launches.front()->result;
  const int wanted = run.facts.threads * run.facts.devices;
  const int there = run.host.usable_threads * std::max(run.facts.nodes, 1);
  if (wanted <= there) return {};
  return fmt::format("oversubscribed: {} threads on {} cores; use fewer devices or --threads",
                     wanted, there);
}

std::optional<std::string> no_steady_state(const Configuration&, const Launches& launches) {
  const long unsteady = count(launches, [](const RunResult& run) {
    const Steadiness found = run.summary.steady_state.steadiness;
    return found != Steadiness::Steady && found != Steadiness::TooFewSteps;
  });
  if (unsteady == 0) return {};
  return fmt::format(
      "{} of {} launches did not reach a steady state (heat, other users); raise "
      "--num-warmup-batches "
      "and --num-batches",
      unsteady, launches.size());
}

std::optional<std::string> slow_start(const Configuration&, const Launches& launches) {
  const long slow = count(launches, began_slowly);
  if (slow == 0) return {};
  return fmt::format(
      "{} of {} launches were slower in their first timed steps, which are included; raise "
      "--num-warmup-batches",
      slow, launches.size());
}

std::optional<std::string> stolen_time(const Configuration&, const Launches& launches) {
  const long stolen = count(
      launches, [](const RunResult& run) { return run.stolen_cpu_fraction.value_or(0) > kStolen; });
  if (stolen == 0) return {};
  return fmt::format(
      "stolen time: other virtual machines took more than 1 % of processor time in {} of {} "
      "launches; use a dedicated machine",
      stolen, launches.size());
}

std::optional<std::string> throttled_gpus(const Configuration&, const Launches& launches) {
  const long slowed = count(launches, [](const RunResult& run) {
    return std::ranges::any_of(run.gpus,
                               [](const GpuRecord& gpu) { return !gpu.throttled.empty(); });
  });
  if (slowed == 0) return {};
  return fmt::format(
      "GPUs were throttled in {} of {} launches; check cooling and power limits with nvidia-smi -q",
      slowed, launches.size());
}

std::optional<std::string> busy_machine(const Configuration&, const Launches& launches) {
  const long busy =
      count(launches, [](const RunResult& run) { return others_ran_before(run.host); });
  if (busy == 0) return {};
  return fmt::format(
      "load: other processes were running before {} of {} launches; find them with "
      "top",
      busy, launches.size());
}

std::optional<std::string> launches_differ(const Configuration& each, const Launches&) {
  if (each.speed->cv <= kUnsteady) return {};
  return fmt::format(
      "launches differ by {:.1f} % (standard deviation); pin the frequency, stop other work, raise "
      "--repeats",
      100 * each.speed->cv);
}

// The launches of a sweep are spread over its whole time.
std::optional<std::string> trend(const Configuration& each, const Launches& launches) {
  if (launches.size() < kLeastForTrend) return {};
  std::vector<std::pair<std::string, double>> by_time;
  for (size_t i = 0; i < launches.size(); ++i) {
    by_time.emplace_back(launches[i]->result.started_at, each.seconds_per_image[i]);
  }
  std::ranges::sort(by_time);
  std::vector<double> times;
  for (const auto& [when, seconds] : by_time) times.push_back(seconds);
  const Trend found = mann_kendall(times);
  if (found.p >= 0.05) return {};
  return fmt::format(
      "{} from launch to launch (thermal drift?); warm the machine up and repeat the sweep",
      found.sign > 0 ? "slower" : "faster");
}

constexpr Reason kReasons[] = {oversubscribed, no_steady_state, slow_start,      stolen_time,
                               throttled_gpus, busy_machine,    launches_differ, trend};

}  // namespace

bool others_ran_before(const HostInfo& host) {
  return host.load.value_or(0) > 1.25 * host.usable_threads + 1;
}

std::vector<std::string> reasons_for_distrust(const Configuration& configuration,
                                              std::span<const StoredRun> runs) {
  Launches launches;
  for (const size_t place : configuration.launches) launches.push_back(&runs[place]);
  std::vector<std::string> lines;
  const auto ask = [&](Reason reason) {
    if (auto line = reason(configuration, launches)) lines.push_back(std::move(*line));
  };
  ask(failures);
  if (launches.empty() || configuration.simulated) return lines;
  ask(few_launches);
  for (const Reason reason : kReasons) ask(reason);
  return lines;
}

}  // namespace lockstep
