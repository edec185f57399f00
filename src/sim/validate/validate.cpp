#include "sim/validate/validate.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "sim/calibrate/fit_run.h"
#include "sim/cluster/known_rates.h"
#include "sim/cluster/ready_clusters.h"
#include "sim/step/predict.h"

namespace lockstep {
namespace {

class Clusters {
 public:
  explicit Clusters(const std::string& directory) : directory_(directory) {}

  // Throws UsageError, for every row alike.
  const Cluster& get(const std::string& name) {
    const auto [at, fresh] = loaded_.try_emplace(name);
    if (fresh) {
      try {
        at->second.cluster = load_cluster(name, directory_);
      } catch (const UsageError& error) {
        at->second.problem = error.what();
      }
    }
    if (!at->second.problem.empty()) throw UsageError("{}", at->second.problem);
    return at->second.cluster;
  }

 private:
  struct Loaded {
    Cluster cluster;
    std::string problem;
  };
  const std::string& directory_;
  std::map<std::string, Loaded> loaded_;
};

struct Base {
  double rate = 0;  // images per second per device
  int devices = 1;
  const PublishedRow* row = nullptr;  // null: of the cluster file
};

double rate_per_device(const PublishedRow& row) { return *row.images_per_second / row.devices; }

class Validator {
 public:
  Validator(const std::vector<PublishedRow>& rows, const std::string& directory, KnownRuns known)
      : rows_(rows), clusters_(directory), known_(known) {
    for (PublishedRow& row : rows_) {
      clusters_of_.push_back(complete(row));
      works_.push_back(row.work());
    }
  }

  Validation run() {
    for (const PublishedRow& row : rows_) {
      if (row.devices != 1) {  // 0: it cannot be read
        add(row);
      } else if (!row.problem.empty()) {
        skip(row, row.problem);
      }
    }
    for (const PublishedRow* row : without_base_) {
      if (!bases_.contains(row)) skip(*row, why_no_base(*row));
    }
    note_skipped();
    return std::move(result_);
  }

 private:
  // What the row leaves open and its cluster says: devices of a node, and the batch of the only
  // known rate, with which a step time becomes a rate.
  const Cluster* complete(PublishedRow& row) {
    if (!row.problem.empty()) return nullptr;
    try {
      if (row.cluster.empty()) throw UsageError("no cluster");
      const Cluster& cluster = clusters_.get(row.cluster);
      row.cluster = cluster.name;  // also of a row that names the file
      if (row.nodes == 0) row.set_per_node(cluster.devices_per_node);
      if (row.batch == 0) row.batch = only_batch(cluster, row.model);
      if (row.step_ms && !row.images_per_second) {
        row.images_per_second = 1000.0 * row.images() * row.devices / *row.step_ms;
      }
      return &cluster;
    } catch (const UsageError& error) {
      row.problem = error.what();
      return nullptr;
    }
  }

  static int only_batch(const Cluster& cluster, const std::string& model) {
    std::set<int> batches;
    for (const auto& [key, rate] : cluster.images_per_second) {
      const RateKey known = rate_key_of(key);
      if (known.model == model) batches.insert(known.batch);
    }
    return batches.size() == 1 ? *batches.begin() : 0;
  }

  size_t index_of(const PublishedRow& row) const { return &row - rows_.data(); }

  void skip(const PublishedRow& row, const std::string& why) { skipped_[row.line] = {&row, why}; }

  // One line for all rows with one reason.
  void note_skipped() {
    std::vector<std::pair<std::string, std::vector<const PublishedRow*>>> reasons;
    for (const auto& [line, skipped] : skipped_) {
      const auto& [row, why] = skipped;
      const auto known = std::ranges::find(reasons, why, [](auto& each) { return each.first; });
      (known == reasons.end() ? reasons.emplace_back(why, 0) : *known).second.push_back(row);
    }
    for (const auto& [why, rows] : reasons) {
      std::vector<int> others;
      for (size_t i = 1; i < rows.size(); ++i) others.push_back(rows[i]->line);
      result_.skipped.push_back(fmt::format(
          "{}:{}: {}{}", rows[0]->file, rows[0]->line, why,
          others.empty() ? "" : fmt::format(" (also lines {})", fmt::join(others, ", "))));
    }
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
    if (!row.problem.empty()) return skip(row, row.problem);
    if (!row.images_per_second && !row.efficiency) return skip(row, "nothing published");
    const Cluster& cluster = *clusters_of_[index_of(row)];
    const Workload& workload = workload_of(row.model);
    const auto base = base_of(row, cluster);
    if (!base) return without_base_.push_back(&row);
    if (base->row) bases_.insert(base->row);
    ValidatedRow result{.row = row, .persistence = {}, .known = {}};
    predict_row(cluster, workload, *base, row, result);
    const double per_device = result.images_per_second / row.devices;
    if (row.images_per_second) {
      result.published = rate_per_device(row) / base->rate;
      result.predicted = per_device / base->rate;
    } else {
      result.published = *row.efficiency;
      result.predicted = per_device / stated_base(cluster, workload, *base, row);
    }
    constexpr double kMost = 1.3;  // rounded rates and lucky runs exceed 1 a little
    if (result.published > kMost) {
      return skip(row,
                  fmt::format("{:.0f} % of the base's {:.5g} images/sec per device: faster than "
                              "the base allows; was it another precision?",
                              100 * result.published, base->rate));
    }
    result.persistence = persistence(*base, row);
    result_.rows.push_back(std::move(result));
  }

  // Among runs of the same work with a rate; `row` is one of rows_.
  template <typename Better>
  const PublishedRow* best(const PublishedRow& row, const Better& better) const {
    const PublishedRow* found = nullptr;
    const std::string& work = works_[index_of(row)];
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_[i].images_per_second || works_[i] != work) continue;
      if (better(rows_[i], found)) found = &rows_[i];
    }
    return found;
  }

  template <typename Fits>
  const PublishedRow* smallest(const PublishedRow& row, const Fits& fits) const {
    return best(row, [&](const PublishedRow& each, const PublishedRow* found) {
      return each.update == row.update && fits(each) && (!found || each.devices < found->devices);
    });
  }

  // The one that says most about `row`: the same framework and update first, then the same update.
  template <typename Fits>
  const PublishedRow* closest_run(const PublishedRow& row, const Fits& fits) const {
    const auto rank = [&](const PublishedRow& each) {
      return 2 * (each.framework == row.framework) + (each.update == row.update);
    };
    return best(row, [&](const PublishedRow& each, const PublishedRow* found) {
      return fits(each) && (!found || rank(each) > rank(*found));
    });
  }

  std::optional<Base> base_of(const PublishedRow& row, const Cluster& cluster) const {
    const auto* one = closest_run(row, [](const PublishedRow& each) { return each.devices == 1; });
    if (one) return Base{.rate = *one->images_per_second, .row = one};
    if (const auto known = known_rate(cluster, rate_key(row))) return Base{.rate = *known};
    const auto* several =
        smallest(row, [&](const PublishedRow& each) { return each.devices < row.devices; });
    if (!several) return std::nullopt;
    return Base{.rate = rate_per_device(*several), .devices = several->devices, .row = several};
  }

  static RateKey rate_key(const PublishedRow& row) {
    return {.model = row.model, .batch = row.images(), .precision = lower_case(row.precision)};
  }

  static std::string why_no_base(const PublishedRow& row) {
    return fmt::format(
        "no smaller run of the same source, model, batch, data and update with images_per_sec, and "
        "cluster {} has no one-device rate of {}:{}",
        row.cluster, row.model, row.images());
  }

  // Of which a row's efficiency is a part, as it says: images per second per device.
  double stated_base(const Cluster& cluster, const Workload& workload, const Base& base,
                     const PublishedRow& row) const {
    if (row.base_devices == 0 || row.base_devices == base.devices) return base.rate;
    const auto* measured = closest_run(
        row, [&](const PublishedRow& each) { return each.devices == row.base_devices; });
    if (measured) return rate_per_device(*measured);
    Scenario scenario = scenario_of(row);
    scenario.devices = row.base_devices;
    scenario.per_node = std::min(row.per_node, row.base_devices);
    start_from(cluster, workload, base, scenario);
    return predict(cluster, workload, scenario).images_per_second / row.base_devices;
  }

  // The one-device step that the base has, or with which its devices reach their rate. With real
  // data, a run on one device has decoded its images as well.
  static void start_from(const Cluster& cluster, const Workload& workload, const Base& base,
                         Scenario& scenario) {
    if (base.devices > 1) return anchor(cluster, workload, *base.row, scenario);
    scenario.one_device_step = scenario.batch / base.rate;
    if (!base.row || !scenario.real_data) return;
    KnownRun one{.scenario = scenario, .images_per_second = base.rate};
    one.scenario.devices = 1;
    start_from_run(cluster, workload, one, scenario);
  }

  static void anchor(const Cluster& cluster, const Workload& workload, const PublishedRow& run,
                     Scenario& scenario) {
    const KnownRun measured{.scenario = scenario_of(run),
                            .images_per_second = *run.images_per_second};
    start_from_run(cluster, workload, measured, scenario);
  }

  void predict_row(const Cluster& cluster, const Workload& workload, const Base& base,
                   const PublishedRow& row, ValidatedRow& result) const {
    Scenario scenario = scenario_of(row);
    const bool decodes = scenario.real_data;
    start_from(cluster, workload, base, scenario);
    result.known = fmt::format("{} device{} at {:.5g} images/sec", base.devices,
                               base.devices == 1 ? "" : "s", base.rate);
    const PublishedRow* node = known_ == KnownRuns::Device ? nullptr : whole_node(row);
    if (node) {
      anchor(cluster, workload, *node, scenario);
      result.known = fmt::format("{} devices of one node at {:.5g} images/sec", node->devices,
                                 *node->images_per_second);
    }
    if (decodes && !scenario.real_data) {
      result.known += ", more than its cores decode: input is left out";
    }
    Cluster fitted = cluster;
    if (const PublishedRow* small = smallest_of_several_nodes(row);
        known_ == KnownRuns::Smallest && small && small->nodes < row.nodes) {
      Scenario seen = scenario_of(*small);
      seen.one_device_step = scenario.one_device_step;
      seen.real_data = scenario.real_data;
      const RunFit fit = fit_run(cluster, workload, seen, *small->images_per_second);
      apply(fit, fitted, scenario);
      result.known += fmt::format("; {} devices: {}", small->devices, fit.words());
    }
    result.images_per_second = predict(fitted, workload, scenario).images_per_second;
  }

  const PublishedRow* whole_node(const PublishedRow& row) const {
    if (row.nodes == 1 || row.per_node == 1) return nullptr;
    return closest_run(row, [&](const PublishedRow& each) {
      return each.nodes == 1 && each.devices == row.per_node && each.update == row.update;
    });
  }

  const PublishedRow* smallest_of_several_nodes(const PublishedRow& row) const {
    return smallest(row, [&](const PublishedRow& each) {
      return each.framework == row.framework && each.nodes > 1;
    });
  }

  std::optional<double> persistence(const Base& base, const PublishedRow& row) const {
    const PublishedRow* run = smallest(row, [&](const PublishedRow& each) {
      return each.framework == row.framework && each.devices > base.devices &&
             each.devices < row.devices && (known_ != KnownRuns::Smallest || each.nodes > 1);
    });
    if (!run) return std::nullopt;
    return rate_per_device(*run) / base.rate;
  }

  std::vector<PublishedRow> rows_;
  Clusters clusters_;
  std::vector<std::string> works_;           // of each row
  std::vector<const Cluster*> clusters_of_;  // null: the row has a problem
  KnownRuns known_;
  std::set<const PublishedRow*> bases_;
  std::vector<const PublishedRow*> without_base_;
  std::map<int, std::pair<const PublishedRow*, std::string>> skipped_;  // by line
  Validation result_;
};

}  // namespace

Validation validate(const std::vector<PublishedRow>& rows, const std::string& directory,
                    KnownRuns known) {
  return Validator(rows, directory, known).run();
}

}  // namespace lockstep
