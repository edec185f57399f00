#include "report/analysis/compare.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "config/run_options.h"
#include "report/results/launch_rate.h"

namespace lockstep {
namespace {

constexpr double kSignificant = 0.05;
constexpr double kLeastRate = 1e-9;  // images per second: less is no measurement
constexpr Seconds kShortestStep{1e-12};
constexpr size_t kMostBlocks = 1000;  // more add no information, and all pairs are compared

// Seconds per image, one for each measurement: times add up, rates do not.
struct Measurements {
  std::vector<double> seconds_per_image;
  int block = 1;
};

void check_measured(const CompareSide& side) {
  for (const RunResult& run : side.runs) {
    if (run.error) throw UsageError("{} is a failed run: {}", side.label, *run.error);
    if (!(rate_of(run) >= kLeastRate)) {
      throw UsageError("{} has a run without a throughput", side.label);
    }
  }
}

Measurements launches_of(const CompareSide& side) {
  Measurements result;
  for (const RunResult& run : side.runs) result.seconds_per_image.push_back(1 / rate_of(run));
  return result;
}

// Blocks of steady steps give the variation. They are scaled so that their mean is the time per
// image of the launch, which includes the time between steps.
Measurements blocks_of(const RunResult& run, const std::string& label) {
  if (run.steps.empty()) return {.seconds_per_image = {1 / rate_of(run)}};
  const auto dropped = static_cast<size_t>(run.summary.steady_state.dropped_steps);
  std::vector<double> times;
  for (size_t i = std::min(dropped, run.steps.size() - 1); i < run.steps.size(); ++i) {
    const StepRecord& step = run.steps[i];
    if (step.images < 1 || step.duration < kShortestStep) {
      throw UsageError("{} has a step without images or duration", label);
    }
    times.push_back(step.duration.count() / step.images);
  }
  const auto least = static_cast<int>(times.size() / kMostBlocks) + 1;
  const int block = std::max(independent_block_length(times), least);
  std::vector<double> means = block_means(times, block);  // some blocks are longer than others
  const double scale = 1 / rate_of(run) / mean(means);
  for (double& seconds : means) seconds *= scale;
  return {.seconds_per_image = std::move(means), .block = block};
}

std::vector<double> rates_of(const Measurements& measurements) {
  std::vector<double> rates;
  for (const double seconds : measurements.seconds_per_image) rates.push_back(1 / seconds);
  return rates;
}

void measure(Comparison& result, const Measurements& base, const Measurements& other) {
  result.base_count = static_cast<int>(base.seconds_per_image.size());
  result.count = static_cast<int>(other.seconds_per_image.size());
  result.base_block = base.block;
  result.block = other.block;
  result.base_rate = 1 / mean(base.seconds_per_image);
  result.rate = 1 / mean(other.seconds_per_image);
  result.ratio = ratio_of_means(other.seconds_per_image, base.seconds_per_image);
  const std::vector<double> base_rates = rates_of(base), rates = rates_of(other);
  result.test = mann_whitney(base_rates, rates);
  result.shift = hodges_lehmann(base_rates, rates);
}

// The smallest possible p of the rank test, corrected for all comparisons: two of all orders of the
// measurements.
double smallest_p(int first, int second, size_t comparisons) {
  double orders = 1;
  for (int i = 1; i <= second; ++i) orders *= static_cast<double>(first + i) / i;
  return 2 / orders * static_cast<double>(comparisons);
}

std::string words_on_too_few(const Comparison& result, size_t comparisons) {
  const int enough = enough_launches(comparisons);
  return fmt::format("too few {} to decide: use at least {} launches per side",
                     result.unit == CompareUnit::Launches ? "launches" : "steps", enough);
}

// Same needs evidence too: the whole interval must be within the threshold.
void judge(Comparison& result, double threshold, size_t comparisons) {
  const double least = 1 + threshold, ratio = result.ratio.value;
  if (!result.ratio.interval_95) {
    result.too_few = true;
    result.reason = "one measurement per side gives no confidence interval";
    return;
  }
  const Interval interval = *result.ratio.interval_95;
  const bool significant = result.p < kSignificant;
  const std::string percent = fmt::format("{:.3g} %", 100 * threshold);
  if (significant && interval.low > 1 && ratio >= least) {
    result.verdict = Verdict::Faster;
    result.reason = fmt::format("significant, more than {}", percent);
  } else if (significant && interval.high < 1 && ratio <= 1 / least) {
    result.verdict = Verdict::Slower;
    result.reason = fmt::format("significant, more than {}", percent);
  } else if (interval.low > 1 / least && interval.high < least) {
    result.verdict = Verdict::Same;
    result.reason = fmt::format("any difference is below {}", percent);
  } else if (significant) {
    result.reason = fmt::format("significant, but possibly below {}", percent);
  } else if (smallest_p(result.base_count, result.count, comparisons) >= kSignificant) {
    result.too_few = true;
    result.reason = words_on_too_few(result, comparisons);
  } else {
    result.reason = fmt::format("not significant, but a difference above {} is possible", percent);
  }
}

// Values are in the order of the results.
template <typename T>
void add_difference(std::vector<std::string>& lines, const std::string& what,
                    const std::vector<T>& values) {
  std::vector<T> different;
  for (const T& value : values) {
    if (!std::ranges::count(different, value)) different.push_back(value);
  }
  if (different.size() > 1) {
    lines.push_back(fmt::format("{}: {}", what, fmt::join(different, ", ")));
  }
}

template <typename Get>
auto of_all(std::span<const CompareSide> sides, Get get) {
  std::vector<decltype(get(sides[0].runs[0]))> values;
  for (const CompareSide& side : sides) {
    for (const RunResult& run : side.runs) values.push_back(get(run));
  }
  return values;
}

// Options that work_differences() and note_dtype() check, and the length of the measurement.
constexpr std::string_view kLookedAt[] = {"model", "batch-size", "num-devices", "num-batches",
                                          "dtype"};

// Options that differ: usually the subject of the comparison.
void note_settings(std::span<const CompareSide> sides, std::vector<std::string>& notes) {
  std::vector<std::string> lines;
  for (const RunOption& option : run_options()) {
    if (!is_identity(option) || std::ranges::count(kLookedAt, option.name)) continue;
    add_difference(lines, "--" + option.name, of_all(sides, [&](const RunResult& run) {
                     const std::string text = text_of(run.config, option);
                     return text.empty() ? std::string("none") : text;
                   }));
  }
  add_difference(lines, "host", of_all(sides, [](const RunResult& run) { return run.host.name; }));
  add_difference(lines, "lockstep",
                 of_all(sides, [](const RunResult& run) { return run.program_version; }));
  if (!lines.empty()) notes.push_back(fmt::format("differs: {}", fmt::join(lines, "; ")));
}

// Fewer bits are faster, and give other losses.
void note_dtype(std::span<const CompareSide> sides, std::vector<std::string>& notes) {
  std::vector<std::string> lines;
  add_difference(lines, "precision differs",
                 of_all(sides, [](const RunResult& run) { return run.config.dtype; }));
  for (const std::string& line : lines) {
    notes.push_back(line + ": the ratio compares different computations");
  }
}

// A device with all cores against one with half of them is not a comparison of the runs alone.
void note_threads(std::span<const CompareSide> sides, std::vector<std::string>& notes) {
  std::vector<std::string> words;
  bool differ = false;
  for (const CompareSide& side : sides) {
    const RunFacts& facts = side.runs.front().facts;
    differ |= facts.threads != sides.front().runs.front().facts.threads;
    words.push_back(fmt::format("{} with {} ({})", facts.threads,
                                count_text(facts.devices, "device"), side.label));
  }
  if (!differ) return;
  notes.push_back(
      fmt::format("threads per device differ: {}: the ratio compares unequal devices; the same "
                  "--threads in all runs makes them equal",
                  fmt::join(words, ", ")));
}

void note_unit(const CompareReport& report, std::vector<std::string>& notes) {
  const auto has = [&](CompareUnit unit) {
    return std::ranges::count(report.comparisons, unit, &Comparison::unit) > 0;
  };
  if (has(CompareUnit::StepBlocks)) {
    notes.emplace_back(
        "one launch per side: means over blocks of steps were compared, because neighbouring steps "
        "are correlated; variation between launches is not included");
  }
  if (has(CompareUnit::Launches)) notes.emplace_back("one launch is one measurement");
  if (report.comparisons.size() > 1) {
    notes.push_back(
        fmt::format("p is corrected for {} comparisons (Holm)", report.comparisons.size()));
  }
}

void note_unsteady(std::span<const CompareSide> sides, std::vector<std::string>& notes) {
  for (const CompareSide& side : sides) {
    const auto unsteady = std::ranges::count_if(side.runs, [](const RunResult& run) {
      return !run.steps.empty() && !run.summary.steady_state.reached();
    });
    if (unsteady > 0) {
      notes.push_back(fmt::format("{}: {} of {} runs did not reach a steady state", side.label,
                                  unsteady, side.runs.size()));
    }
  }
}

}  // namespace

std::string_view words_for(Verdict verdict) {
  constexpr std::string_view kWords[] = {"faster", "slower", "same", "inconclusive"};
  return kWords[static_cast<size_t>(verdict)];
}

std::vector<std::string> work_differences(std::span<const CompareSide> sides) {
  std::vector<std::string> lines;
  add_difference(lines, "model", of_all(sides, [](auto& run) { return run.facts.model; }));
  add_difference(lines, "batch size per device",
                 of_all(sides, [](auto& run) { return run.facts.batch_size; }));
  add_difference(lines, "devices", of_all(sides, [](auto& run) { return run.facts.devices; }));
  add_difference(lines, "mode", of_all(sides, [](auto& run) {
                   return std::string(run.config.forward_only ? "forward only" : "training");
                 }));
  return lines;
}

int enough_launches(size_t comparisons) {
  int launches = 2;
  while (smallest_p(launches, launches, comparisons) >= kSignificant) ++launches;
  return launches;
}

std::vector<Comparison> compare_pairs(std::span<const ComparePair> pairs, double threshold) {
  std::vector<Comparison> comparisons;
  std::vector<double> p_values;
  for (const auto& [base, other] : pairs) {
    check_measured(base);
    check_measured(other);
    Comparison& each = comparisons.emplace_back();
    each.label = other.label;
    const bool single = base.runs.size() == 1 && other.runs.size() == 1;
    each.unit = single ? CompareUnit::StepBlocks : CompareUnit::Launches;
    if (single) {
      measure(each, blocks_of(base.runs[0], base.label), blocks_of(other.runs[0], other.label));
    } else {
      measure(each, launches_of(base), launches_of(other));
    }
    p_values.push_back(each.test.p);
  }
  const std::vector<double> raised = holm(p_values);
  for (size_t i = 0; i < raised.size(); ++i) {
    comparisons[i].p = raised[i];
    judge(comparisons[i], threshold, comparisons.size());
  }
  return comparisons;
}

CompareReport compare(std::span<const CompareSide> sides, double threshold) {
  std::vector<ComparePair> pairs;
  for (const CompareSide& side : sides.subspan(1)) pairs.push_back({sides.front(), side});
  CompareReport report = {.base = sides.front().label,
                          .threshold = threshold,
                          .comparisons = compare_pairs(pairs, threshold),
                          .notes = {}};
  note_unit(report, report.notes);
  note_dtype(sides, report.notes);
  note_settings(sides, report.notes);
  note_threads(sides, report.notes);
  note_unsteady(sides, report.notes);
  return report;
}

}  // namespace lockstep
