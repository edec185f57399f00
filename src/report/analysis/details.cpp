#include "report/analysis/details.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "measure/statistics.h"
#include "report/analysis/best.h"

namespace lockstep {
namespace {

constexpr size_t kMostColumns = 100;
constexpr int64_t kMostSteps = 5000;
constexpr size_t kMostRecords = 60000;  // of timelines: two megabytes of a page

std::vector<double> milliseconds(std::span<const StepRecord> steps) {
  std::vector<double> result;
  for (const StepRecord& step : steps) result.push_back(1000 * step.duration.count());
  return result;
}

std::span<const StepRecord> drawn(std::span<const StepRecord> steps) {
  return steps.first(std::min<size_t>(steps.size(), kMostSteps));
}

// The steps that the summary of the launch covers.
std::span<const StepRecord> steady(const RunResult& result) {
  const auto dropped = static_cast<size_t>(result.summary.steady_state.dropped_steps);
  return std::span(result.steps).subspan(std::min(dropped, result.steps.size()));
}

StepRange range_of(std::span<const double> times) {
  if (times.empty()) return {};
  return {.least = quantile(times, 0),
          .p5 = quantile(times, 0.05),
          .median = median(times),
          .p95 = quantile(times, 0.95),
          .most = quantile(times, 1)};
}

double own_ms(const StepRecord& step) {
  return 1000 * (step.duration - step.phase(Phase::Communication)).count();
}

LatenessMap lateness_of(std::span<const RankResult> ranks) {
  LatenessMap map;
  if (ranks.size() < 2) return map;
  size_t steps = ranks.front().steps.size();
  for (const RankResult& rank : ranks) steps = std::min(steps, rank.steps.size());
  if (steps == 0) return map;
  const size_t per_column = (steps + kMostColumns - 1) / kMostColumns;
  const size_t columns = (steps + per_column - 1) / per_column;
  map.steps_per_column = static_cast<int>(per_column);
  map.milliseconds.assign(ranks.size(), std::vector<double>(columns, 0.0));
  std::vector<double> own(ranks.size());
  for (size_t step = 0; step < steps; ++step) {
    for (size_t i = 0; i < ranks.size(); ++i) own[i] = own_ms(ranks[i].steps[step]);
    if (std::ranges::any_of(own, [](double time) { return std::isnan(time); })) return {};
    const double middle = median(own);
    const size_t column = step / per_column;
    const size_t members = std::min(per_column, steps - column * per_column);
    for (size_t i = 0; i < ranks.size(); ++i) {
      map.milliseconds[i][column] += (own[i] - middle) / static_cast<double>(members);
    }
  }
  return map;
}

// Fastest first, then the others in the order of the report.
std::vector<size_t> by_interest(const ScalingReport& report, std::span<const StoredRun> runs) {
  std::vector<size_t> order;
  std::set<size_t> seen;
  const auto add = [&](size_t place) {
    if (report.configurations[place].speed && seen.insert(place).second) order.push_back(place);
  };
  for (const BestRow& row : best_of(report, runs)) add(row.best);
  for (size_t i = 0; i < report.configurations.size(); ++i) add(i);
  return order;
}

// Among the launches with raw samples.
const size_t* typical_launch(const Configuration& each, const RunCollection& collection) {
  const double mean_time = mean(each.seconds_per_image);
  const size_t* nearest = nullptr;
  double least = INFINITY;
  for (size_t i = 0; i < each.launches.size(); ++i) {
    const double off = std::abs(each.seconds_per_image[i] - mean_time);
    if (collection.runs[each.launches[i]].raw_file.empty() || off >= least) continue;
    least = off;
    nearest = &each.launches[i];
  }
  return nearest;
}

}  // namespace

LaunchDetails details_of(const RunResult& result) {
  return {.warmup_ms = milliseconds(drawn(result.warmup_steps)),
          .steps_ms = milliseconds(drawn(result.steps)),
          .range = range_of(milliseconds(steady(result))),
          .all_steps = result.steps.size(),
          .outlier_steps = result.summary.outlier_steps,
          .dropped_steps = result.summary.steady_state.dropped_steps,
          .lateness = lateness_of(result.ranks),
          .timeline = timeline_of(result)};
}

FoundDetails find_details(const ScalingReport& report, const RunCollection& collection,
                          size_t most) {
  FoundDetails found;
  size_t tried = 0, left_out = 0, drawn_records = 0, no_timeline = 0;
  for (const size_t place : by_interest(report, collection.runs)) {
    const size_t* launch = typical_launch(report.configurations[place], collection);
    if (!launch) continue;
    if (tried == most) {  // those that could not be read, too: there may be thousands
      ++left_out;
      continue;
    }
    ++tried;
    const StoredRun& run = collection.runs[*launch];
    try {
      LaunchDetails details = details_of(read_raw(collection.directories[*launch], run));
      details.configuration = place;
      details.repeat = run.repeat;
      if (details.timeline) {
        const size_t records = details.timeline->records();
        if (drawn_records + records > kMostRecords) {
          details.timeline.reset();
          ++no_timeline;
        } else {
          drawn_records += records;
        }
      }
      if (details.all_steps > details.steps_ms.size()) {
        found.notes.push_back(
            fmt::format("single steps of {}: the first {} of {} are drawn; {} has all of them",
                        label_of(report, report.configurations[place]), thousands_text(kMostSteps),
                        thousands_text(static_cast<int64_t>(details.all_steps)), run.raw_file));
      }
      found.launches.push_back(std::move(details));
    } catch (const Error& error) {  // the rest of the report does not depend on it
      found.notes.push_back(fmt::format("no single steps: {}", error.what()));
    }
  }
  if (no_timeline > 0) {
    found.notes.push_back(
        fmt::format("one step is not drawn of {}: a page has room for {} records",
                    count_text(static_cast<int64_t>(no_timeline), "configuration"),
                    thousands_text(static_cast<int64_t>(kMostRecords))));
  }
  if (left_out > 0) {
    found.notes.push_back(
        fmt::format("single steps are shown of {} configurations, not of the {} others: 'lockstep "
                    "report' reads "
                    "{} raw files at most",
                    found.launches.size(), left_out, most));
  }
  std::ranges::sort(found.launches, {}, &LaunchDetails::configuration);
  return found;
}

}  // namespace lockstep
