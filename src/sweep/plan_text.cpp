#include "sweep/plan_text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "config/run_label.h"
#include "sweep/resolve_config.h"

namespace lockstep {
namespace {

// An earlier measurement is the best estimate.
double seconds_of(const SweepRun& run, const StoreContents& contents, int cores) {
  for (const StoredRun& stored : contents.runs) {
    if (stored.id == run.id && stored.wall_seconds > 0) return stored.wall_seconds;
  }
  return guess_seconds(run.config, cores);
}

// "  NAME: a, b"; each value once, in the order of the runs.
std::string axis_line(const PlannedSweep& sweep, std::string_view name,
                      const std::function<std::string(const RunConfig&)>& value) {
  std::vector<std::string> values;
  for (const SweepRun& run : sweep.plan.runs) {
    const std::string text = value(run.config);
    if (!text.empty() && !std::ranges::count(values, text)) values.push_back(text);
  }
  return fmt::format("  {}: {}\n", name, fmt::join(values, ", "));
}

}  // namespace

RemainingWork remaining_work(const PlannedSweep& sweep, const StoreContents& contents) {
  const auto missing = missing_launches(sweep.plan, contents);
  RemainingWork work = {.launches = missing.size(),
                        .all = sweep.plan.runs.size() * static_cast<size_t>(sweep.plan.repeats)};
  for (const auto& [index, repeat] : missing)
    work.seconds += seconds_of(sweep.plan.runs[index], contents, sweep.cores);
  return work;
}

std::string plan_text(const PlannedSweep& sweep, const RemainingWork& work) {
  const SweepPlan& plan = sweep.plan;
  std::string text = fmt::format(
      "plan: {}, {}{} each; {} of {} launches remain{}\n",
      count_text(static_cast<int64_t>(plan.runs.size()), "run"), plan.precision ? "at most " : "",
      plan.repeats == 1 ? "1 launch" : fmt::format("{} launches", plan.repeats), work.launches,
      work.all,
      work.launches == 0 ? ""
                         : fmt::format(", about {} (rough estimate)", rough_time(work.seconds)));
  text += axis_line(sweep, "model:batch", [](const RunConfig& run) {
    return fmt::format("{}:{}", run.model, run.batch_size);
  });
  text += axis_line(sweep, "num-devices",
                    [](const RunConfig& run) { return fmt::to_string(run.num_devices); });
  text += axis_line(sweep, "steps per launch", [](const RunConfig& run) {
    return fmt::format("{} timed after {} warm-up",
                       run.num_epochs
                           ? fmt::format("those of {} epochs", *run.num_epochs)
                           : fmt::to_string(run.num_batches.value_or(kDefaultTimedSteps)),
                       run.num_warmup_batches);
  });
  const bool frameworks =
      std::ranges::any_of(plan.runs, [](const SweepRun& run) { return has_framework(run.config); });
  if (frameworks) {
    text += axis_line(sweep, "framework", [](const RunConfig& run) { return run.framework; });
  }
  for (const std::string_view name : sweep.differing) {
    text += axis_line(sweep, name, [&](const RunConfig& run) { return setting_text(run, name); });
  }
  for (const SkippedRun& each : plan.skipped) {
    text += fmt::format("  skipped: {}: {}\n", run_label(each.run.config, sweep.differing),
                        each.reason);
  }
  return text;
}

std::string resuming_text(const PlannedSweep& sweep, const RemainingWork& work,
                          const StoreContents& contents) {
  if (work.launches == work.all) return "";
  int failed = 0;
  for (const StoredRun& run : own_runs(sweep.plan, contents))
    failed += run.measured() || run.skipped() ? 0 : 1;
  const bool skips = failed > 0 && !sweep.plan.retry_failed;
  return fmt::format("resuming: {} of {} launches done{}\n", work.all - work.launches, work.all,
                     skips ? fmt::format(", {} of them failed; --retry-failed launches {} again",
                                         failed, failed == 1 ? "it" : "them")
                           : "");
}

}  // namespace lockstep
