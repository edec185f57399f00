#include "report/results/possible_result.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "config/json.h"

namespace lockstep {
namespace {

constexpr double kLargest = 1e60;  // beyond any loss; sums and squares of such numbers are finite

bool is_impossible(const Json& json) {
  if (json.is_number_float()) {
    const double number = json.get<double>();
    return std::isfinite(number) && std::abs(number) > kLargest;  // a loss may be infinite
  }
  return json.is_structured() &&
         std::ranges::any_of(json, [](const Json& each) { return is_impossible(each); });
}

void refuse_impossible(const std::vector<StepRecord>& steps) {
  for (const StepRecord& step : steps) {
    if (step.images < 0 || step.duration < Seconds{0}) {
      throw Error("holds a step of less than no time, or of less than no images");
    }
  }
}

}  // namespace

void refuse_impossible_numbers(const Json& result) {
  if (is_impossible(result)) throw Error("holds a number that no run has");
}

void refuse_impossible_steps(const RunResult& result) {
  refuse_impossible(result.steps);
  refuse_impossible(result.warmup_steps);
  for (const RankResult& rank : result.ranks) {
    refuse_impossible(rank.steps);
    refuse_impossible(rank.warmup_steps);
  }
}

}  // namespace lockstep
