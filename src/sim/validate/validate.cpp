#include "sim/validate/validate.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "nn/zoo.h"
#include "sim/calibrate/fit_run.h"
#include "sim/cluster/ready_clusters.h"
#include "sim/step/predict.h"

namespace lockstep {
namespace {

class Clusters {
 public:
  explicit Clusters(const std::string& directory) : directory_(directory) {}
  const Cluster& get(const std::string& name) {
    const auto [at, fresh] = loaded_.try_emplace(name);
    if (fresh) at->second = load_cluster(name, directory_);
    return at->second;
  }

 private:
  const std::string& directory_;
  std::map<std::string, Cluster> loaded_;
};

bool same_work(const PublishedRow& a, const PublishedRow& b) {
  return a.source == b.source && a.model == b.model && a.batch == b.batch && a.data == b.data &&
         a.precision == b.precision && a.cluster == b.cluster && a.images_per_second &&
         b.images_per_second;
}

// Of rows that did the same work, the one that says most about `row`: the same framework and update
// first, then the same update.
template <typename Fits>
const PublishedRow* best_match(const std::vector<PublishedRow>& rows, const PublishedRow& row,
                               const Fits& fits) {
  const PublishedRow* best = nullptr;
  int best_rank = -1;
  for (const PublishedRow& each : rows) {
    if (!same_work(each, row) || !fits(each)) continue;
    const int rank = 2 * (each.framework == row.framework) + (each.update == row.update);
    const bool smaller = best && rank == best_rank && each.devices < best->devices;
    if (rank > best_rank || smaller) {
      best = &each;
      best_rank = rank;
    }
  }
  return best;
}

struct Base {
  double rate = 0;  // images per second per device
  int devices = 1;
};

std::optional<Base> base_of(const std::vector<PublishedRow>& rows, const PublishedRow& row,
                            const Cluster& cluster) {
  const auto* one = best_match(rows, row, [](const PublishedRow& r) { return r.devices == 1; });
  if (one) return Base{*one->images_per_second, 1};
  const auto known = cluster.images_per_second.find(
      fmt::format("{}:{}", find_model(row.model).name, scenario_of(row).batch));
  if (known != cluster.images_per_second.end()) return Base{known->second, 1};
  const PublishedRow* smallest = nullptr;
  for (const PublishedRow& each : rows) {
    if (!same_work(each, row) || each.update != row.update || each.devices >= row.devices) continue;
    if (!smallest || each.devices < smallest->devices) smallest = &each;
  }
  if (!smallest) return std::nullopt;
  return Base{*smallest->images_per_second / smallest->devices, smallest->devices};
}

class Validator {
 public:
  Validator(const std::vector<PublishedRow>& rows, const std::string& directory, KnownRuns known)
      : rows_(rows), clusters_(directory), known_(known) {}

  Validation run() {
    for (const PublishedRow& row : rows_) {
      if (row.devices > 1) add(row);
    }
    return std::move(result_);
  }

 private:
  void skip(const PublishedRow& row, const std::string& why) {
    result_.skipped.push_back(fmt::format("line {}: {}", row.line, why));
  }

  // A row that this program does not know how to predict must not hide the others.
  void add(const PublishedRow& row) {
    try {
      validate_row(row);
    } catch (const UsageError& error) {
      skip(row, error.what());
    }
  }

  void validate_row(const PublishedRow& row) {
    if (row.cluster.empty()) return skip(row, "no cluster");
    const Cluster& cluster = clusters_.get(row.cluster);
    const auto base = base_of(rows_, row, cluster);
    if (!base) return;  // itself the base of others
    if (base->devices > 1 && base->devices == row.devices) return;
    if (!row.images_per_second && !row.efficiency) return skip(row, "nothing published");
    const Workload& workload = workload_of(row.model);
    ValidatedRow result{.row = row, .persistence = {}, .known = {}};
    result.published =
        row.images_per_second ? *row.images_per_second / row.devices / base->rate : *row.efficiency;
    predict_row(cluster, workload, *base, result);
    result.predicted = result.images_per_second / row.devices / base->rate;
    set_persistence(*base, result);
    result_.rows.push_back(std::move(result));
  }

  void predict_row(const Cluster& cluster, const Workload& workload, const Base& base,
                   ValidatedRow& result) {
    Scenario scenario = scenario_of(result.row);
    scenario.one_device_step = scenario.batch / base.rate;
    result.known = fmt::format("{} device{} at {:.5g} images/sec", base.devices,
                               base.devices == 1 ? "" : "s", base.rate);
    if (base.devices > 1) anchor(cluster, workload, base.devices, base.rate, scenario);
    const PublishedRow* node = known_ == KnownRuns::Device ? nullptr : whole_node(result.row);
    if (node) {
      anchor(cluster, workload, node->devices, *node->images_per_second / node->devices, scenario);
      result.known = fmt::format("{} devices of one node at {:.5g} images/sec", node->devices,
                                 *node->images_per_second);
    }
    Cluster fitted = cluster;
    if (const PublishedRow* small = smallest_of_several_nodes(result.row);
        known_ == KnownRuns::Smallest && small && small->nodes < result.row.nodes) {
      Scenario seen = scenario_of(*small);
      seen.one_device_step = scenario.one_device_step;
      const RunFit fit = fit_run(cluster, workload, seen, *small->images_per_second);
      apply(fit, fitted, scenario);
      result.known += fmt::format("; {} devices: {}", small->devices, fit.words());
    }
    result.images_per_second = predict(fitted, workload, scenario).images_per_second;
  }

  // The one-device step with which this many devices reach their published rate.
  static void anchor(const Cluster& cluster, const Workload& workload, int devices, double rate,
                     Scenario& scenario) {
    Scenario at = scenario;
    at.devices = devices;
    at.servers = 0;
    at.per_node = std::min(scenario.per_node, devices);
    scenario.one_device_step = one_device_step_for(cluster, workload, at, rate * devices);
  }

  const PublishedRow* whole_node(const PublishedRow& row) const {
    if (row.nodes == 1 || row.per_node == 1) return nullptr;
    const auto* found = best_match(rows_, row, [&](const PublishedRow& each) {
      return each.nodes == 1 && each.devices == row.per_node && each.update == row.update;
    });
    return found;
  }

  const PublishedRow* smallest_of_several_nodes(const PublishedRow& row) const {
    const PublishedRow* smallest = nullptr;
    for (const PublishedRow& each : rows_) {
      if (!same_work(each, row) || each.update != row.update || each.framework != row.framework ||
          each.nodes == 1) {
        continue;
      }
      if (!smallest || each.devices < smallest->devices) smallest = &each;
    }
    return smallest;
  }

  void set_persistence(const Base& base, ValidatedRow& result) const {
    const PublishedRow* smallest = nullptr;
    for (const PublishedRow& each : rows_) {
      const bool other = !same_work(each, result.row) || each.update != result.row.update ||
                         each.framework != result.row.framework;
      if (other || each.devices <= base.devices || each.devices >= result.row.devices) continue;
      if (known_ == KnownRuns::Smallest && each.nodes == 1) continue;
      if (!smallest || each.devices < smallest->devices) smallest = &each;
    }
    if (smallest) {
      result.persistence = *smallest->images_per_second / smallest->devices / base.rate;
    }
  }

  const std::vector<PublishedRow>& rows_;
  Clusters clusters_;
  KnownRuns known_;
  Validation result_;
};

}  // namespace

Validation validate(const std::vector<PublishedRow>& rows, const std::string& directory,
                    KnownRuns known) {
  return Validator(rows, directory, known).run();
}

ErrorSummary summarize_errors(const std::string& name,
                              const std::vector<const ValidatedRow*>& rows) {
  constexpr double kConstant = 0.9;
  ErrorSummary sum{.name = name, .rows = static_cast<int>(rows.size())};
  double persistence = 0, on_those = 0;
  int with_smaller = 0;
  for (const ValidatedRow* each : rows) {
    const double error = std::abs(each->error());
    sum.mean += error;
    sum.bias += each->error();
    if (error > std::abs(sum.worst)) sum.worst = each->error();
    sum.within_5 += error <= 0.05;
    sum.within_10 += error <= 0.10;
    sum.constant += std::abs(kConstant - each->published);
    if (!each->persistence) continue;
    ++with_smaller;
    persistence += std::abs(*each->persistence - each->published);
    on_those += error;
  }
  if (sum.rows == 0) return sum;
  for (double* part : {&sum.mean, &sum.bias, &sum.within_5, &sum.within_10, &sum.constant}) {
    *part /= sum.rows;
  }
  if (with_smaller > 0) {
    sum.persistence = persistence / with_smaller;
    sum.on_those = on_those / with_smaller;
  }
  return sum;
}

std::vector<ErrorSummary> summaries_by_source(const Validation& validation) {
  std::vector<std::string> sources;
  std::map<std::string, std::vector<const ValidatedRow*>> by_source;
  std::vector<const ValidatedRow*> all;
  for (const ValidatedRow& each : validation.rows) {
    const std::string name = each.row.source + ": " + each.row.cluster;
    if (!by_source.contains(name)) sources.push_back(name);
    by_source[name].push_back(&each);
    all.push_back(&each);
  }
  std::vector<ErrorSummary> summaries;
  for (const std::string& source : sources) {
    summaries.push_back(summarize_errors(source, by_source[source]));
  }
  summaries.push_back(summarize_errors("all", all));
  return summaries;
}

}  // namespace lockstep
