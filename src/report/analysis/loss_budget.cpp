#include "report/analysis/loss_budget.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "config/independent_twin.h"
#include "config/run_id.h"
#include "measure/student.h"
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

// mean(a) - mean(b), with the interval of Welch; absent with too few launches.
struct Difference {
  double value = 0;
  std::optional<Interval> interval_95 = {};
};

double squared_error(Samples samples) {
  const double n = static_cast<double>(samples.size());
  const double deviates = deviation(samples);
  return deviates * deviates / (n - 1);
}

Difference difference(Samples a, Samples b) {
  Difference found = {.value = mean(a) - (b.empty() ? 0 : mean(b))};
  const size_t fewest = b.empty() ? a.size() : std::min(a.size(), b.size());
  if (fewest < kFewestLaunches) return found;
  const double n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  const double error_a = squared_error(a), error_b = b.empty() ? 0 : squared_error(b);
  const double both = error_a + error_b;
  double freedom = n - 1;
  if (!b.empty()) {
    freedom = both > 0 ? both * both / (error_a * error_a / (n - 1) + error_b * error_b / (m - 1))
                       : n + m - 2;
  }
  // Most parts of most runs are zero in all launches: the quantile takes a tenth of a millisecond.
  const double half = both > 0 ? student_97_5(freedom) * std::sqrt(both) : 0;
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

// A single worker keeps no times of its transfers, so its waiting is all wire. If it has servers,
// it is split as the waiting of several workers is.
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

void fill(LossBudget& budget, const Side& side, const Side* base, const Side* control) {
  const auto of_base = [&](PathPart part) { return base ? base->of(part) : std::vector<double>{}; };
  if (budget.source == BudgetSource::Nothing) {
    std::vector<double> steps, ideal;
    for (const LaunchParts& each : side.launches) steps.push_back(each.step);
    if (base) {
      for (const LaunchParts& each : base->launches) ideal.push_back(each.step);
    }
    return put(budget, LossPart::Unknown, difference(steps, ideal));
  }
  for (const auto& [part, same] : kSameInBoth) {
    put(budget, part, difference(side.of(same), of_base(same)));
  }
  if (!base) return;  // nothing to compare compute with
  const std::vector<double> compute = side.of(PathPart::Compute),
                            alone = of_base(PathPart::Compute);
  if (!control) return put(budget, LossPart::SlowerCompute, difference(compute, alone));
  const std::vector<double> quiet = control->of(PathPart::Compute);
  put(budget, LossPart::SlowerCompute, difference(quiet, alone));
  put(budget, LossPart::BesideCommunication, difference(compute, quiet));
}

// The launch that is nearest to the mean: its names stand for all.
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
    if (base) {
      before = side_of(report_.configurations[*base], runs_);
      split_waiting(*before, side);
    }
    budget.source = before ? std::max(side.source, before->source) : side.source;
    const std::optional<Side> control = control_of(each, budget.source);
    if (control && before) budget.source = BudgetSource::Experiment;
    budget.step = side.step();
    fill(budget, side, before ? &*before : nullptr, control ? &*control : nullptr);
    budget.launch = typical_launch(each);
    if (const auto& path = runs_[budget.launch].result.path) budget.path = *path;
    finish(budget, point);
    return budget;
  }

 private:
  std::optional<Side> control_of(const Configuration& each, BudgetSource source) const {
    if (source != BudgetSource::Records || !has_independent_twin(each.config, each.devices)) {
      return {};
    }
    const auto twin = by_id_.find(run_id(independent_twin(each.config)));
    if (twin == by_id_.end()) return {};
    Side side = side_of(*twin->second, runs_);
    if (side.source != BudgetSource::Records) return {};
    return side;
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

std::optional<Interval> LossBudget::part_95(LossPart which) const {
  const auto& found = seconds_95[static_cast<size_t>(which)];
  if (!found) return {};
  return Interval{.low = found->low / step, .high = found->high / step};
}

LossPart LossBudget::largest() const {
  return static_cast<LossPart>(std::ranges::max_element(seconds) - seconds.begin());
}

std::vector<LossBudget> loss_budgets(const ScalingReport& report, std::span<const StoredRun> runs) {
  const Budgets budgets(report, runs);
  std::vector<LossBudget> list;
  for (const Series& series : report.series) {
    if (series.simulated) continue;
    const bool scales = series.scales();
    for (const ScalingPoint& point : series.points) {
      const bool base = scales && point.devices == series.points.front().devices;
      if (base || point.devices < 2) continue;
      LossBudget budget =
          budgets.make(point.configuration, &point,
                       scales ? std::optional(series.points.front().configuration) : std::nullopt);
      const bool says_nothing = !budget.base && budget.source == BudgetSource::Nothing;
      if (!says_nothing) list.push_back(std::move(budget));
    }
  }
  std::ranges::sort(list, {}, &LossBudget::configuration);
  return list;
}

}  // namespace lockstep
