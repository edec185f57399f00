#include "web/page_data.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "config/json.h"
#include "config/run_arguments.h"
#include "config/run_label.h"
#include "report/analysis/details.h"
#include "report/analysis/verdicts.h"
#include "report/render/best_text.h"
#include "report/render/regressions_text.h"
#include "report/render/verdicts_text.h"
#include "report/results/published.h"
#include "web/all_reduce_files.h"
#include "web/answer_data.h"
#include "web/launches_csv.h"
#include "web/page_number.h"

namespace lockstep {
namespace {

Json number(double value) { return page_number(value, 6); }

Json numbers(std::span<const double> values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

Json interval(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return Json::array({number(interval->low), number(interval->high)});
}

Json step_times_json(const StepTimes& times) {
  return {{"steps", times.steps},
          {"outliers", times.outliers},
          {"median_ms", number(1000 * times.median)},
          {"p5_ms", number(1000 * times.p5)},
          {"p95_ms", number(1000 * times.p95)},
          {"p99_ms", number(1000 * times.p99)},
          {"mad_ms", number(1000 * times.mad)},
          {"cv", number(times.cv)}};
}

Json configuration_json(const ScalingReport& report, const Configuration& each) {
  Json json = {{"id", each.id},
               {"label", label_of(report, each)},
               {"model", each.config.model},
               {"batch", each.config.batch_size},
               {"engine", engine_label(each.config)},
               {"strategy", each.config.variable_update},
               {"settings", settings_label(each.config, report.differing)},
               {"devices", each.devices},
               {"nodes", each.nodes},
               {"kind", each.simulated ? "simulated" : "measured"},
               {"failed", each.failed},
               {"warnings", each.warnings}};
  if (each.skipped) json["skipped"] = each.error;
  if (each.failed > 0) {
    json["error"] = each.error;
    json["last_lines"] = each.last_lines;
  }
  if (!each.speed) return json;
  json["launches"] = each.speed->launches;
  json["rate"] = number(each.speed->images_per_second);
  json["rate_95"] = interval(each.speed->images_per_second_95);
  if (each.speed->launches > 1) json["launches_cv"] = number(each.speed->cv);
  if (each.step_times) json["step_times"] = step_times_json(*each.step_times);
  if (each.threads > 0) json["threads"] = each.threads;
  if (each.communication_efficiency) {
    json["communication_efficiency"] = number(each.communication_efficiency->value);
    json["communication_efficiency_95"] = interval(each.communication_efficiency->interval_95);
  }
  if (each.data_cost) {
    json["data_cost"] = number(each.data_cost->value);
    json["data_cost_95"] = interval(each.data_cost->interval_95);
  }
  if (!each.phases_known()) return json;
  json["step_ms"] = number(1000 * each.mean_step);
  std::vector<double> phases;
  for (const double part : each.phases_and_rest()) phases.push_back(1000 * part);
  json["phases_ms"] = numbers(phases);
  if (const auto exposed = each.exposed_fraction()) json["exposed"] = number(*exposed);
  return json;
}

Json series_json(const ScalingReport& report) {
  Json list = Json::array();
  for (const Series& series : report.series) {
    Json points = Json::array();
    for (const ScalingPoint& point : series.points) {
      Json json = {{"configuration", point.configuration}, {"devices", point.devices}};
      if (point.speed_up) {
        json["speed_up"] = number(point.speed_up->value);
        json["speed_up_95"] = interval(point.speed_up->interval_95);
        json["scaling_efficiency"] = number(point.scaling_efficiency->value);
        json["scaling_efficiency_95"] = interval(point.scaling_efficiency->interval_95);
      }
      points.push_back(std::move(json));
    }
    list.push_back({{"label", series.label},
                    {"model", series.model},
                    {"kind", series.simulated ? "simulated" : "measured"},
                    {"points", std::move(points)}});
  }
  return list;
}

Json best_json(const ScalingReport& report, std::span<const StoredRun> runs) {
  Json list = Json::array();
  for (const BestRow& row : best_of(report, runs)) {
    list.push_back({{"model", row.model},
                    {"devices", row.devices},
                    {"best", row.best},
                    {"runner_up", row.runner_up ? Json(*row.runner_up) : Json(nullptr)},
                    {"words", words_about(row)},
                    {"command", train_command_line(report.configurations[row.best].config)}});
  }
  return list;
}

Json rankings_json(std::span<const Ranking> rankings) {
  Json list = Json::array();
  for (const Ranking& ranking : rankings) {
    Json rows = Json::array();
    for (const RankedRow& row : ranking.rows) {
      Json json = {{"configuration", row.configuration},
                   {"ratio", row.difference ? number(row.difference->ratio.value) : Json(1)},
                   {"verdict", row.difference ? words_on(*row.difference) : "fastest"}};
      if (row.difference) json["ratio_95"] = interval(row.difference->ratio.interval_95);
      rows.push_back(std::move(json));
    }
    list.push_back({{"model", ranking.model},
                    {"devices", ranking.devices},
                    {"rows", std::move(rows)},
                    {"left_out", ranking.left_out}});
  }
  return list;
}

Json details_json(std::span<const LaunchDetails> launches) {
  Json list = Json::array();
  for (const LaunchDetails& each : launches) {
    Json rows = Json::array();
    for (const auto& row : each.lateness.milliseconds) rows.push_back(numbers(row));
    list.push_back(
        {{"configuration", each.configuration},
         {"launch", each.repeat + 1},
         {"warmup_ms", numbers(each.warmup_ms)},
         {"steps_ms", numbers(each.steps_ms)},
         {"range_ms", numbers(std::array{each.range.least, each.range.p5, each.range.median,
                                         each.range.p95, each.range.most})},
         {"steady_steps", each.all_steps - static_cast<size_t>(each.dropped_steps)},
         {"outlier_steps", each.outlier_steps},
         {"dropped_steps", each.dropped_steps},
         {"steps_per_column", each.lateness.steps_per_column},
         {"late_ms", std::move(rows)},
         {"timeline", each.timeline ? timeline_json(*each.timeline) : Json(nullptr)}});
  }
  return list;
}

template <typename T>
std::string told(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "unavailable";
}

std::string bytes_or_none(const std::optional<int64_t>& bytes) {
  return bytes ? bytes_text(*bytes) : "unavailable";
}

Json machine_json(const RunResult& run) {
  const HostInfo& host = run.host;
  Json facts = {{"host", host.name},
                {"processor", told(host.cpu_model)},
                {"cores", told(host.cores)},
                {"hardware threads", told(host.hardware_threads)},
                {"usable threads", fmt::to_string(host.usable_threads)},
                {"NUMA nodes", told(host.numa_nodes)},
                {"MHz", told(host.cpu_mhz)},
                {"vector extensions", fmt::format("{}", fmt::join(host.isa, " "))},
                {"caches (L1, L2, L3)",
                 fmt::format("{}, {}, {}", bytes_or_none(host.l1_bytes),
                             bytes_or_none(host.l2_bytes), bytes_or_none(host.l3_bytes))},
                {"memory", bytes_or_none(host.memory_bytes)},
                {"kernel", told(host.kernel)},
                {"governor", told(host.governor)},
                {"huge pages", told(host.transparent_huge_pages)},
                {"container CPU quota", told(host.cgroup_cpus)}};
  for (const auto& [name, version] : run.libraries) facts[name] = version;
  return facts;
}

// One for each host that started runs, as of its first run.
Json machines_json(std::span<const StoredRun> runs) {
  std::map<std::string, const RunResult*> machines;
  for (const StoredRun& run : runs) {
    if (run.result.host.name.empty()) continue;  // it failed before it read the host
    machines.try_emplace(run.result.host.name, &run.result);
  }
  Json list = Json::array();
  for (const auto& [name, run] : machines) list.push_back(machine_json(*run));
  return list;
}

Json history_json(std::span<const StoredRun> runs) {
  std::string first, last, version;
  int failed = 0;
  for (const StoredRun& run : runs) {
    if (!run.measured() && !run.skipped()) ++failed;
    const std::string& started = run.result.started_at;
    if (started.empty()) continue;
    if (first.empty() || started < first) first = started;
    if (started > last) {
      last = started;
      version = run.result.program_version;
    }
  }
  return {{"launches", runs.size()},
          {"failed", failed},
          {"first", first},
          {"last", last},
          {"version", version}};
}

std::vector<std::string> loss_part_names() {
  std::vector<std::string> names;
  for (const LossPartKind& kind : kLossParts) names.emplace_back(kind.name);
  return names;
}

// Whose files belong to the page, too.
std::vector<std::string> directories_of(const RunCollection& collection) {
  const std::set<std::string> unique(collection.directories.begin(), collection.directories.end());
  return {unique.begin(), unique.end()};
}

}  // namespace

Json page_set(const PageSource& source) {
  const ScalingReport report = make_scaling(source.collection.runs);
  return page_set(source, report, find_details(report, source.collection));
}

Json page_set(const PageSource& source, const ScalingReport& report, const FoundDetails& details) {
  const std::vector<StoredRun>& runs = source.collection.runs;
  const std::set<size_t> cards = places_of_cards(report);
  Json configurations = Json::array();
  for (const Configuration& each : report.configurations) {
    configurations.push_back(configuration_json(report, each));
    if (cards.contains(configurations.size() - 1)) configurations.back()["card"] = true;
  }
  std::vector<std::string> notes = report.notes;
  for (const auto* more : {&report.base_notes, &details.notes}) {
    notes.insert(notes.end(), more->begin(), more->end());
  }
  const std::vector<LossBudget> budgets = loss_budgets(report, runs);
  return {{"name", source.name},
          {"history", history_json(runs)},
          {"loss_parts", loss_part_names()},
          {"budgets", budgets_json(report, budgets, runs)},
          {"all_reduce", all_reduce_results(directories_of(source.collection))},
          {"notes", notes},
          {"skipped", source.skipped},
          {"phases",
           {"input", "forward", "backward", "exposed communication", "update", "between steps",
            "the rest"}},
          {"configurations", std::move(configurations)},
          {"series", series_json(report)},
          {"best", best_json(report, runs)},
          {"rankings", rankings_json(alternatives_in(report, source.collection))},
          {"details", details_json(details.launches)},
          {"machines", machines_json(runs)},
          {"launches_csv", launches_csv(report, runs)}};
}

Json baseline_json(const std::string& name, const BaselineReport& report) {
  Json rows = Json::array();
  for (const BrokenRun& run : report.broken) {
    rows.push_back({{"label", run.label}, {"verdict", "FAILED"}, {"error", run.error}});
  }
  for (const Comparison& row : report.comparisons) {
    rows.push_back({{"label", row.label},
                    {"base_rate", number(row.base_rate)},
                    {"rate", number(row.rate)},
                    {"ratio", number(row.ratio.value)},
                    {"ratio_95", interval(row.ratio.interval_95)},
                    {"p", number(row.p)},
                    {"verdict", verdict_text(row, report.rules)},
                    {"reason", row.reason}});
  }
  return {{"name", name},
          {"rows", std::move(rows)},
          {"undecided", report.undecided.has_value()},
          {"notes", report.notes}};
}

Json published_layer() {
  Json list = Json::array();
  for (const PublishedSeries& each : published_series()) {
    Json points = Json::array();
    for (const auto& [devices, rate] : each.points) {
      points.push_back(Json::array({devices, number(rate)}));
    }
    list.push_back({{"label", fmt::format("{}:{} {}", each.model, each.batch, each.label)},
                    {"source", each.source},
                    {"model", each.model},
                    {"points", std::move(points)}});
  }
  return list;
}

}  // namespace lockstep
