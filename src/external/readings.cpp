#include "external/readings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "external/running_means.h"
#include "measure/statistics.h"

namespace lockstep {
namespace {

// Limit of kept lines. With a total, further step lines are not needed.
constexpr size_t kMostReadings = 1'000'000;

std::vector<double> rates_of(const std::vector<Reading>& readings) {
  std::vector<double> rates;
  for (const Reading& reading : readings) rates.push_back(reading.images_per_second);
  return rates;
}

// All images over all time, as every line is about equally many images.
double mean_rate(Samples rates) {
  double seconds_per_image = 0;
  for (const double rate : rates) seconds_per_image += 1 / rate;
  return static_cast<double>(rates.size()) / seconds_per_image;
}

double combined(CombineLines how, Samples rates) {
  switch (how) {
    case CombineLines::Last:
      return rates.back();
    case CombineLines::Mean:
      return mean_rate(rates);
    case CombineLines::Median:
      return median(rates);
  }
  return 0;
}

double combined(CombineWorkers how, Samples rates) {
  switch (how) {
    case CombineWorkers::Mean:
      return mean(rates);
    case CombineWorkers::Median:
      return median(rates);
    case CombineWorkers::Sum:
      return mean(rates) * static_cast<double>(rates.size());
    case CombineWorkers::Last:
      return rates.back();
  }
  return 0;
}

ReadingsByWorker by_worker(const std::vector<Reading>& readings) {
  ReadingsByWorker result;
  for (const Reading& reading : readings) result[reading.worker].push_back(reading);
  return result;
}

std::string worker_of(const PatternMatch& match, const OutputLine& line) {
  return match.worker.empty() ? fmt::to_string(line.command) : match.worker;
}

std::optional<double> mean_loss(const std::vector<const Reading*>& readings) {
  double sum = 0;
  for (const Reading* reading : readings) {
    if (!reading->loss) return {};
    sum += *reading->loss;
  }
  return sum / static_cast<double>(readings.size());
}

}  // namespace

Readings::Readings(const Program& program, int workers, int devices)
    : program_(program),
      workers_(static_cast<size_t>(workers)),
      devices_(devices),
      step_(program.output.step, Pattern::Kind::Number),
      total_(program.output.total, Pattern::Kind::Number),
      loss_(program.output.loss, Pattern::Kind::Number),
      required_(program.required_line, Pattern::Kind::Anything),
      forbidden_(program.forbidden_line, Pattern::Kind::Anything),
      phases_(program.output) {}

Readings::Found Readings::add(const OutputLine& line) {
  if (forbidden_.find(line.text)) {
    if (forbidden_seen_.empty()) forbidden_seen_ = line.text;
    return Found::Forbidden;
  }
  std::optional<double> loss;
  required_seen_ = required_seen_ || required_.find(line.text).has_value();
  const auto total = total_.find(line.text), step = step_.find(line.text);
  if (line.whole) {
    phases_.add(line.text);
    loss = loss_of(line, step ? &*step : nullptr);
    if (!losses_.problem().empty()) return Found::Forbidden;
  }
  if (!total && !step) return Found::Nothing;
  if (!line.whole) {
    half_line_ = line.text;
    return Found::Nothing;
  }
  const bool kept = total ? keep(*total, line, program_.output.total_of, totals_)
                          : keep(*step, line, program_.output.step_of, steps_);
  if (!kept) return Found::Nothing;
  if (!total) {
    steps_.back().loss = loss;
    ++step_counts_[steps_.back().worker];
  }
  return have_enough() ? Found::Enough : Found::Number;
}

std::optional<double> Readings::loss_of(const OutputLine& line, const PatternMatch* step) {
  const auto own = loss_.find(line.text);
  const PatternMatch* match = own ? &*own : step;
  if (!match) return {};
  const std::string& number = own ? own->value : step->loss;
  return losses_.add(number,
                     {.worker = worker_of(*match, line), .step = whole_number(match->step)});
}

bool Readings::keep(const PatternMatch& match, const OutputLine& line, RateOf what,
                    std::vector<Reading>& readings) {
  const auto number = finite_number(match.value);
  if (!number || *number <= 0) {
    not_a_number_ = line.text;
    return false;
  }
  if (readings.size() >= kMostReadings) {
    too_many_ = too_many_ || &readings == &deciding();
    return false;
  }
  const int times = what == RateOf::Device ? devices_ : 1;
  readings.push_back({.worker = worker_of(match, line),
                      .step = whole_number(match.step),
                      .time = line.time,
                      .images_per_second = *number * times,
                      .rounding = times * rounding_of(match.value).value_or(*number)});
  return true;
}

ReadingsByWorker Readings::counted_steps() const {
  ReadingsByWorker steps = by_worker(steps_);
  const auto skipped = static_cast<size_t>(program_.output.skip_steps);
  for (auto& [worker, readings] : steps) {
    const size_t count = std::min(skipped, readings.size());
    readings.erase(readings.begin(), readings.begin() + static_cast<ptrdiff_t>(count));
  }
  std::erase_if(steps, [](const auto& row) { return row.second.empty(); });
  return steps;
}

bool Readings::have_enough() const {
  if (!program_.output.enough_steps) return false;
  const int64_t needed = int64_t{program_.output.skip_steps} + *program_.output.enough_steps;
  return step_counts_.size() >= workers_ &&
         std::ranges::all_of(step_counts_, [&](const auto& row) { return row.second >= needed; });
}

CombineWorkers Readings::combination(RateOf what) const {
  return what == RateOf::Worker ? CombineWorkers::Sum : program_.output.workers;
}

RateOf Readings::rate_of_deciding() const {
  return program_.output.total.empty() ? program_.output.step_of : program_.output.total_of;
}

std::string Readings::incomplete(size_t reported, RateOf what) const {
  if (reported == 0) return "no output line matches";
  const bool lacking = combination(what) == CombineWorkers::Sum && reported != workers_;
  return lacking ? fmt::format("{} of {} workers reported a throughput", reported, workers_) : "";
}

std::string Readings::problem() const {
  if (!forbidden_seen_.empty()) return fmt::format("it printed '{}'", forbidden_seen_);
  if (!losses_.problem().empty()) return losses_.problem();
  if (!not_a_number_.empty()) {
    return fmt::format("'{}' has no throughput above 0", not_a_number_);
  }
  if (too_many_) {
    return fmt::format("it printed its throughput more than {} times; print it less often",
                       kMostReadings);
  }
  const bool by_totals = !program_.output.total.empty();
  const size_t reported = by_totals ? by_worker(totals_).size() : counted_steps().size();
  std::string problem = incomplete(reported, rate_of_deciding());
  if (reported == 0) {
    problem += fmt::format(" '{}'", by_totals ? program_.output.total : program_.output.step);
    if (!half_line_.empty()) {
      problem += fmt::format("; the line '{}' was cut off", half_line_.substr(0, 80));
    }
  }
  if (problem.empty() && !program_.required_line.empty() && !required_seen_) {
    problem = fmt::format("no output line matches '{}'", program_.required_line);
  }
  return problem;
}

std::optional<double> Readings::images_per_second() const {
  if (!problem().empty()) return {};
  std::vector<double> values;
  const ReadingsByWorker rows =
      program_.output.total.empty() ? counted_steps() : by_worker(totals_);
  for (const auto& [worker, readings] : rows) {
    values.push_back(combined(program_.output.lines, rates_of(readings)));
  }
  return combined(combination(rate_of_deciding()), values);
}

ReadingsByWorker Readings::intervals() const {
  ReadingsByWorker steps = counted_steps();
  if (program_.output.step_is == StepMeaning::Interval) return steps;
  for (auto& [worker, readings] : steps) readings = intervals_of(readings);
  return steps;
}

std::vector<IntervalSample> Readings::samples() const {
  std::vector<IntervalSample> samples;
  const ReadingsByWorker steps = intervals();
  if (!incomplete(steps.size(), program_.output.step_of).empty()) return samples;
  size_t count = kMostReadings;
  for (const auto& [worker, readings] : steps) count = std::min(count, readings.size());
  for (size_t i = 0; i < count; ++i) {
    IntervalSample& sample = samples.emplace_back();
    std::vector<const Reading*> lines;
    std::vector<double> rates;
    for (const auto& [worker, readings] : steps) {
      lines.push_back(&readings[i]);
      rates.push_back(readings[i].images_per_second);
      sample.time = std::max(sample.time, readings[i].time);
    }
    sample.images_per_second = combined(combination(program_.output.step_of), rates);
    sample.loss = mean_loss(lines);
  }
  return samples;
}

}  // namespace lockstep
