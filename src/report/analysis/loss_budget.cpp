#include "report/analysis/loss_budget.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "config/independent_twin.h"
#include "config/run_id.h"
#include "measure/student.h"
#include "report/analysis/mean_path.h"
#include "report/results/launch_rate.h"

namespace lockstep {
namespace {

// One launch: its step and what it consists of.
struct LaunchParts {
  double step = 0;  // seconds: images of one step / images per second
  PathSeconds parts{};
};

double phase_of(const Summary& summary, Phase phase) {
  return summary.mean_phases[static_cast<size_t>(phase)];
}

double or_zero(double time) { return std::isnan(time) ? 0 : time; }  // it is in another phase

// Without a path: waiting is wire. Absent: there are no phases, or nobody knows how long ranks
// waited for each other.
std::optional<PathSeconds> parts_of_phases(const RunResult& run) {
  const Summary& summary = run.summary;
  PathSeconds parts{};
  const auto at = [&](PathPart part) -> double& { return parts[static_cast<size_t>(part)]; };
  if (run.config.graph) return {};  // forward holds the whole step
  const double waited = phase_of(summary, Phase::Communication);
  at(PathPart::Input) = or_zero(phase_of(summary, Phase::Input));
  at(PathPart::Compute) = phase_of(summary, Phase::Forward) + phase_of(summary, Phase::Backward) +
                          or_zero(phase_of(summary, Phase::Update));
  at(PathPart::Wire) = run.facts.devices > 1 ? waited : or_zero(waited);
  at(PathPart::Between) = or_zero(phase_of(summary, Phase::Between));
  if (!(at(PathPart::Compute) > 0)) return {};
  return parts;
}

// Absent: the parts do not say anything, as in a result that somebody else wrote.
std::optional<PathSeconds> scaled_to(double step, const std::optional<PathSeconds>& parts) {
  if (!parts) return {};
  const double sum = std::accumulate(parts->begin(), parts->end(), 0.0);
  if (!(sum > 0) || !std::isfinite(sum)) return {};
  PathSeconds scaled = *parts;
  for (double& part : scaled) part *= step / sum;
  return scaled;
}

struct Side {
  std::vector<LaunchParts> launches;
  BudgetSource source = BudgetSource::Records;

  std::vector<double> of(PathPart part) const {
    std::vector<double> values;
    for (const LaunchParts& each : launches)
      values.push_back(each.parts[static_cast<size_t>(part)]);
    return values;
  }
  double step() const {
    double sum = 0;
    for (const LaunchParts& each : launches) sum += each.step;
    return sum / static_cast<double>(launches.size());
  }
};

// Results of external programs have it in their configuration only.
double images_per_step(const RunResult& run) {
  const int batch = run.facts.batch_size > 0 ? run.facts.batch_size : run.config.batch_size;
  return static_cast<double>(std::max(batch, 1)) * run.facts.devices;
}

Side side_of(const Configuration& each, std::span<const StoredRun> runs) {
  Side side;
  for (const size_t place : each.launches) {
    const RunResult& run = runs[place].result;
    LaunchParts launch = {.step = images_per_step(run) / rate_of(run)};
    std::optional<PathSeconds> parts;
    if (run.path) parts = scaled_to(launch.step, run.path->parts);
    if (!parts) {
      parts = scaled_to(launch.step, parts_of_phases(run));
      const bool rough = run.facts.devices > 1;  // one device waits for nobody
      if (!parts) side.source = BudgetSource::Nothing;
      if (parts && rough) side.source = std::max(side.source, BudgetSource::Phases);
    }
    if (parts) launch.parts = *parts;
    side.launches.push_back(launch);
  }
  return side;
}

// A sum of means with signs, with the interval of Welch; absent with too few launches.
struct Difference {
  double value = 0;
  std::optional<Interval> interval_95 = {};
};

struct Term {
  int sign;
  std::vector<double> launches;
};

Difference difference(const std::vector<Term>& terms) {
  Difference found;
  double all = 0, weights = 0, freedom = 0;  // squared errors
  size_t fewest = kFewestLaunches;
  for (const auto& [sign, launches] : terms) {
    if (launches.empty()) continue;
    const double n = static_cast<double>(launches.size()), deviates = deviation(launches);
    const double error = deviates * deviates / (n - 1);
    found.value += sign * mean(launches);
    fewest = std::min(fewest, launches.size());
    all += error;
    weights += error * error / (n - 1);
    freedom += n - 1;
  }
  if (fewest < kFewestLaunches) return found;
  if (weights > 0) freedom = all * all / weights;
  // Most parts of most runs are zero in all launches: the quantile takes a tenth of a millisecond.
  const double half = all > 0 ? student_97_5(freedom) * std::sqrt(all) : 0;
  found.interval_95 = {.low = found.value - half, .high = found.value + half};
  return found;
}

constexpr std::pair<LossPart, PathPart> kSameInBoth[] = {
    {LossPart::LateRanks, PathPart::Late}, {LossPart::Wire, PathPart::Wire},
    {LossPart::Queue, PathPart::Queue},    {LossPart::Servers, PathPart::Servers},
    {LossPart::Input, PathPart::Input},    {LossPart::Between, PathPart::Between}};

void put(LossBudget& budget, LossPart part, const Difference& found) {
  budget.seconds[static_cast<size_t>(part)] = found.value;
  budget.seconds_95[static_cast<size_t>(part)] = found.interval_95;
}

// A single worker keeps no times of its transfers, so its waiting is all wire. If it has servers
// whose time is inferred, it is split as the waiting of several workers is. Where servers measure
// their queues it stays wire: a single worker waits behind no other.
void split_waiting(Side& base, const Side& side) {
  const double servers = mean(side.of(PathPart::Servers)), wire = mean(side.of(PathPart::Wire));
  if (servers <= 0 || mean(base.of(PathPart::Servers)) > 0) return;
  for (LaunchParts& each : base.launches) {
    double& waiting = each.parts[static_cast<size_t>(PathPart::Wire)];
    const double at_servers = waiting * servers / (servers + wire);
    each.parts[static_cast<size_t>(PathPart::Servers)] = at_servers;
    waiting -= at_servers;
  }
}

// Runs of the same workers without communication; of a base of one device that is the base itself.
struct Controls {
  Side run;
  std::optional<Side> base;
};

void fill(LossBudget& budget, const Side& side, const Side* base, const Controls* controls) {
  const auto of_base = [&](PathPart part) { return base ? base->of(part) : std::vector<double>{}; };
  if (budget.source == BudgetSource::Nothing) {
    std::vector<double> steps, ideal;
    for (const LaunchParts& each : side.launches) steps.push_back(each.step);
    if (base) {
      for (const LaunchParts& each : base->launches) ideal.push_back(each.step);
    }
    return put(budget, LossPart::Unknown, difference({{1, steps}, {-1, ideal}}));
  }
  for (const auto& [part, same] : kSameInBoth) {
    put(budget, part, difference({{1, side.of(same)}, {-1, of_base(same)}}));
  }
  if (!base) return;  // nothing to compare compute with
  const std::vector<double> compute = side.of(PathPart::Compute),
                            alone = of_base(PathPart::Compute);
  if (!controls) {
    return put(budget, LossPart::SlowerCompute, difference({{1, compute}, {-1, alone}}));
  }
  const std::vector<double> quiet = controls->run.of(PathPart::Compute);
  if (!controls->base) {
    put(budget, LossPart::SlowerCompute, difference({{1, quiet}, {-1, alone}}));
    return put(budget, LossPart::BesideCommunication, difference({{1, compute}, {-1, quiet}}));
  }
  const std::vector<double> quiet_base = controls->base->of(PathPart::Compute);
  put(budget, LossPart::SlowerCompute, difference({{1, quiet}, {-1, quiet_base}}));
  put(budget, LossPart::BesideCommunication,
      difference({{1, compute}, {-1, quiet}, {-1, alone}, {1, quiet_base}}));
}

// The launch that is nearest to the mean: its host and configuration stand for all.
size_t typical_launch(const Configuration& each) {
  const double middle = mean(each.seconds_per_image);
  size_t nearest = 0;
  for (size_t i = 1; i < each.launches.size(); ++i) {
    if (std::abs(each.seconds_per_image[i] - middle) <
        std::abs(each.seconds_per_image[nearest] - middle)) {
      nearest = i;
    }
  }
  return each.launches[nearest];
}

class Budgets {
 public:
  Budgets(const ScalingReport& report, std::span<const StoredRun> runs)
      : report_(report), runs_(runs) {
    for (const auto* list : {&report.controls, &report.configurations}) {
      for (const Configuration& each : *list) {
        if (each.speed && !each.simulated) by_id_.try_emplace(each.id, &each);
      }
    }
  }

  LossBudget make(size_t place, const ScalingPoint* point, std::optional<size_t> base) const {
    const Configuration& each = report_.configurations[place];
    LossBudget budget = {.configuration = place, .base = base};
    const Side side = side_of(each, runs_);
    std::optional<Side> before;
    budget.path = mean_path_of(each);
    if (base) {
      before = side_of(report_.configurations[*base], runs_);
      if (!budget.path.servers_measured) split_waiting(*before, side);
    }
    budget.source = before ? std::max(side.source, before->source) : side.source;
    std::optional<Controls> controls;
    if (base && budget.source == BudgetSource::Records) {
      controls = controls_of(each, report_.configurations[*base]);
      budget.lacks_controls = !controls && were_run(each);
    }
    if (controls) budget.source = BudgetSource::Experiment;
    budget.step = side.step();
    fill(budget, side, before ? &*before : nullptr, controls ? &*controls : nullptr);
    for (size_t part = 0; part < budget.here.size(); ++part) {
      budget.here[part] = mean(side.of(static_cast<PathPart>(part)));
    }
    budget.launch = typical_launch(each);
    if (base) describe_base(budget, report_.configurations[*base]);
    finish(budget, point);
    return budget;
  }

 private:
  PathSummary mean_path_of(const Configuration& each) const {
    std::vector<PathSummary> paths;
    for (const size_t launch : each.launches) {
      if (const auto& path = runs_[launch].result.path) paths.push_back(*path);
    }
    return mean_path(paths);
  }

  void describe_base(LossBudget& budget, const Configuration& base) const {
    const RunFacts& facts = runs_[base.launches.front()].result.facts;
    budget.base_devices = base.devices;
    budget.base_threads = facts.threads;
    budget.base_workers = facts.workers_here;
  }

  std::optional<Side> control_of(const Configuration& each) const {
    if (!has_independent_twin(each.config, each.devices)) return {};
    const auto twin = by_id_.find(run_id(independent_twin(each.config)));
    if (twin == by_id_.end()) return {};
    Side side = side_of(*twin->second, runs_);
    if (side.source != BudgetSource::Records) return {};
    return side;
  }

  std::optional<Controls> controls_of(const Configuration& each, const Configuration& base) const {
    std::optional<Side> own = control_of(each), of_base = control_of(base);
    const bool complete = of_base || !has_independent_twin(base.config, base.devices);
    if (!own || !complete) return {};
    return Controls{std::move(*own), std::move(of_base)};
  }

  // Whether there were control runs, which then failed.
  bool were_run(const Configuration& each) const {
    return has_independent_twin(each.config, each.devices) &&
           std::ranges::count(report_.controls, run_id(independent_twin(each.config)),
                              &Configuration::id) > 0;
  }

  static void finish(LossBudget& budget, const ScalingPoint* point) {
    double lost = 0;
    for (const double part : budget.seconds) lost += part;
    budget.ideal_step = budget.step - lost;
    budget.efficiency = {.value = budget.ideal_step / budget.step, .interval_95 = {}};
    if (point && point->scaling_efficiency) {
      budget.efficiency.interval_95 = point->scaling_efficiency->interval_95;
    }
  }

  const ScalingReport& report_;
  std::span<const StoredRun> runs_;
  std::map<std::string, const Configuration*> by_id_;
};

}  // namespace

std::optional<Interval> LossBudget::lost_95() const {
  if (!efficiency.interval_95) return {};
  return Interval{.low = 1 - efficiency.interval_95->high, .high = 1 - efficiency.interval_95->low};
}

std::optional<Interval> LossBudget::part_95(LossPart which) const {
  const auto& found = seconds_95[static_cast<size_t>(which)];
  if (!found) return {};
  return Interval{.low = found->low / step, .high = found->high / step};
}

double LossBudget::seconds_here(LossPart which) const {
  const auto same = std::ranges::find(kSameInBoth, which, &std::pair<LossPart, PathPart>::first);
  if (same == std::end(kSameInBoth)) return seconds[static_cast<size_t>(which)];
  return here[static_cast<size_t>(same->second)];
}

LossPart LossBudget::largest() const {
  return static_cast<LossPart>(std::ranges::max_element(seconds) - seconds.begin());
}

std::vector<LossBudget> loss_budgets(const ScalingReport& report, std::span<const StoredRun> runs) {
  const Budgets budgets(report, runs);
  std::vector<LossBudget> list;
  for (const Series& series : report.series) {
    if (series.simulated) continue;
    const ScalingPoint& base = series.points.front();
    for (const ScalingPoint& point : series.points) {
      if (point.devices < 2) continue;
      const bool has_base = point.devices != base.devices;
      LossBudget budget = budgets.make(point.configuration, has_base ? &point : nullptr,
                                       has_base ? std::optional(base.configuration) : std::nullopt);
      const bool says_nothing = !budget.base && budget.source == BudgetSource::Nothing;
      if (!says_nothing) list.push_back(std::move(budget));
    }
  }
  std::ranges::sort(list, {}, &LossBudget::configuration);
  return list;
}

}  // namespace lockstep
