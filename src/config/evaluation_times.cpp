#include "config/evaluation_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace lockstep {
namespace {

constexpr double kMostSteps = 1e15;

// Of "100,200"; absent: some of it is no number above 0, or no whole one where that is wanted.
std::optional<std::vector<double>> numbers_in(std::string_view text, bool whole) {
  std::vector<double> numbers;
  if (text.empty()) return numbers;
  for (const std::string& word : split(text, ',')) {
    const auto number = finite_number(word);
    if (!number || *number <= 0 || (whole && !whole_number(word))) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

bool evaluates_during_training(const RunConfig& run) {
  return run.eval_during_training_every_n_steps || run.eval_during_training_every_n_epochs ||
         !run.eval_during_training_at_specified_steps.empty() ||
         !run.eval_during_training_at_specified_epochs.empty();
}

std::vector<std::string> evaluation_problems(const RunConfig& run) {
  std::vector<std::string> problems;
  const auto check = [&](std::string_view option, const std::string& text, bool whole) {
    if (numbers_in(text, whole)) return;
    problems.push_back(fmt::format("--{} must be {} above 0, separated by commas, not '{}'", option,
                                   whole ? "whole numbers" : "numbers", text));
  };
  check("eval-during-training-at-specified-steps", run.eval_during_training_at_specified_steps,
        true);
  check("eval-during-training-at-specified-epochs", run.eval_during_training_at_specified_epochs,
        false);
  return problems;
}

EvaluationTimes::EvaluationTimes(const RunConfig& run, int64_t examples_per_epoch,
                                 int64_t examples_per_step) {
  const auto steps_of = [&](double passes) {
    const double needed = std::ceil(passes * static_cast<double>(examples_per_epoch) /
                                    static_cast<double>(examples_per_step));
    return static_cast<int64_t>(std::clamp(needed, 1.0, kMostSteps));
  };
  every_ = run.eval_during_training_every_n_steps.value_or(0);
  if (run.eval_during_training_every_n_epochs) {
    every_ = steps_of(*run.eval_during_training_every_n_epochs);
  }
  const auto steps = numbers_in(run.eval_during_training_at_specified_steps, true);
  const auto epochs = numbers_in(run.eval_during_training_at_specified_epochs, false);
  for (const double step : *steps) at_.push_back(static_cast<int64_t>(std::min(step, kMostSteps)));
  for (const double epoch : *epochs) at_.push_back(steps_of(epoch));
  std::ranges::sort(at_);
}

bool EvaluationTimes::due(int64_t step) const {
  return (every_ > 0 && step % every_ == 0) || std::ranges::binary_search(at_, step);
}

}  // namespace lockstep
