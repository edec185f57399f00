#include "nn/schedule.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.h"

namespace lockstep {
namespace {

double steps_per_epoch(const TrainingScale& scale) {
  return static_cast<double>(scale.examples_per_epoch) /
         static_cast<double>(scale.examples_per_step);
}

int64_t steps_in(double epochs, const TrainingScale& scale) {
  constexpr double kNever = 1e18;  // more steps than any run has; still a whole number
  return static_cast<int64_t>(std::min(epochs * steps_per_epoch(scale), kNever));
}

// rate, epoch, rate, epoch, ..., rate
std::optional<std::vector<double>> parse_piecewise(std::string_view text) {
  std::vector<double> numbers;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(';', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    double number = 0;
    const auto [rest, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc{} || rest != part.data() + part.size()) return {};
    if (!std::isfinite(number) || number < 0) return {};
    numbers.push_back(number);
    begin = end + 1;
  }
  if (numbers.size() % 2 == 0) return {};
  for (size_t i = 3; i < numbers.size(); i += 2) {
    if (numbers[i] <= numbers[i - 2]) return {};
  }
  return numbers;
}

Schedule piecewise(const std::vector<double>& numbers, const TrainingScale& scale) {
  Schedule schedule;
  for (size_t i = 0; i < numbers.size(); i += 2) schedule.rates.push_back(numbers[i]);
  for (size_t i = 1; i < numbers.size(); i += 2) {
    schedule.boundaries.push_back(steps_in(numbers[i], scale) - 1);
  }
  return schedule;
}

Schedule initial_with_decay(const LearningRateFlags& flags, const TrainingScale& scale) {
  Schedule schedule = {.rates = {*flags.initial}};
  if (flags.epochs_per_decay > 0) {
    schedule.decay_steps = std::max<int64_t>(1, steps_in(flags.epochs_per_decay, scale));
    schedule.decay_factor = flags.decay_factor;
    schedule.minimum = flags.minimum;
  }
  return schedule;
}

Schedule resnet_imagenet(double base, const TrainingScale& scale) {
  const double rate =
      base / scale.gradients_summed_over * static_cast<double>(scale.examples_per_step) / 256;
  Schedule schedule = {.warmup_steps = steps_in(5, scale)};
  for (const double factor : {1.0, 0.1, 0.01, 0.001, 0.0001}) {
    schedule.rates.push_back(rate * factor);
  }
  for (const double epochs : {30, 60, 80, 90}) {
    schedule.boundaries.push_back(steps_in(epochs, scale));
  }
  return schedule;
}

// CIFAR-10's networks count whole steps per epoch.
Schedule stairs(std::vector<double> rates, const std::vector<int64_t>& epochs,
                const TrainingScale& scale) {
  Schedule schedule = {.rates = std::move(rates)};
  for (const int64_t epoch : epochs) {
    schedule.boundaries.push_back(scale.examples_per_epoch / scale.examples_per_step * epoch);
  }
  return schedule;
}

Schedule own_schedule(const ModelSchedule& model, const LearningRateFlags& flags,
                      const TrainingScale& scale) {
  const double base = model.base;
  switch (model.kind) {
    case ScheduleKind::Constant:
      return {.rates = {base}};
    case ScheduleKind::ResnetImagenet:
      return resnet_imagenet(flags.resnet_base.value_or(base), scale);
    case ScheduleKind::ResnetCifar:
      return stairs({base, base * 0.1, base * 0.01, base * 0.002}, {82, 123, 300}, scale);
    case ScheduleKind::DensenetCifar:
      return stairs({base, base * 0.1, base * 0.01, base * 0.001}, {150, 225, 300}, scale);
    case ScheduleKind::AlexnetCifar:
      return {.rates = {base},
              .decay_steps =
                  std::max<int64_t>(1, 100 * scale.examples_per_epoch / scale.examples_per_step),
              .decay_factor = 0.1};
  }
  throw Error("unknown learning rate schedule");
}

}  // namespace

std::vector<std::string> problems_in(const LearningRateFlags& flags) {
  std::vector<std::string> problems;
  const auto problem_if = [&](bool wrong, std::string message) {
    if (wrong) problems.push_back(std::move(message));
  };
  const bool decays = flags.epochs_per_decay != 0 || flags.decay_factor != 0;
  const bool decays_fully = flags.epochs_per_decay > 0 && flags.decay_factor > 0;
  problem_if(flags.piecewise && (flags.initial || decays || flags.minimum != 0),
             "--piecewise-learning-rate-schedule cannot be combined with "
             "--init-learning-rate, --num-epochs-per-decay, --learning-rate-decay-factor or "
             "--minimum-learning-rate");
  problem_if(flags.piecewise && !parse_piecewise(*flags.piecewise),
             fmt::format("--piecewise-learning-rate-schedule must be rates with rising epochs "
                         "between them, such as 0.1;30;0.01;60;0.001, not '{}'",
                         flags.piecewise.value_or("")));
  problem_if(decays && !decays_fully,
             "--num-epochs-per-decay and --learning-rate-decay-factor must be set together, both "
             "above zero");
  problem_if(decays && !flags.initial, "a learning rate decay requires --init-learning-rate");
  problem_if(flags.minimum != 0 && !decays_fully,
             "--minimum-learning-rate needs --num-epochs-per-decay and "
             "--learning-rate-decay-factor");
  problem_if(flags.minimum < 0, "--minimum-learning-rate must not be negative");
  problem_if(flags.warmup_epochs < 0, "--num-learning-rate-warmup-epochs must not be negative");
  problem_if(flags.warmup_epochs != 0 && !flags.initial && !flags.piecewise,
             "--num-learning-rate-warmup-epochs needs --init-learning-rate or "
             "--piecewise-learning-rate-schedule");
  return problems;
}

Schedule make_schedule(const ModelSchedule& model, const LearningRateFlags& flags,
                       const TrainingScale& scale) {
  const std::vector<std::string> problems = problems_in(flags);
  if (!problems.empty()) throw UsageError("{}", fmt::join(problems, "\n"));
  if (!flags.piecewise && !flags.initial) return own_schedule(model, flags, scale);
  Schedule schedule = flags.piecewise ? piecewise(*parse_piecewise(*flags.piecewise), scale)
                                      : initial_with_decay(flags, scale);
  schedule.warmup_steps = steps_in(flags.warmup_epochs, scale);
  return schedule;
}

double Schedule::at(int64_t step) const {
  if (step < warmup_steps) {
    return rates[0] * static_cast<double>(step) / static_cast<double>(warmup_steps);
  }
  const auto stair = std::ranges::lower_bound(boundaries, step) - boundaries.begin();
  if (decay_steps == 0) return rates[stair];
  const double decayed =
      rates[stair] * std::pow(decay_factor, static_cast<double>(step / decay_steps));
  return std::max(decayed, minimum);
}

}  // namespace lockstep
