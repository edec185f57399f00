#include "run/step_agreement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace lockstep {
namespace {

constexpr double kBetween = 1;  // second
constexpr double kMostSteps = 10000;

}  // namespace

StepRecord StepAgreement::agree(int step, const StepRecord& mine) {
  // Only rank 0 says how many steps a second has: all must mean the same one.
  const double steps =
      std::clamp(kBetween / std::max(mine.duration.count(), 1e-9), 1.0, kMostSteps);
  enum {
    BaseLoss,
    TotalLoss,
    TopOne,
    TopFive,
    Images,
    Interrupted,
    GoalReached,
    Save,
    Steps,
    kCount
  };
  std::array<float, kCount> numbers = {static_cast<float>(mine.losses.base_loss),
                                       static_cast<float>(mine.losses.total_loss),
                                       static_cast<float>(mine.losses.top_1_hits),
                                       static_cast<float>(mine.losses.top_5_hits),
                                       static_cast<float>(mine.images),
                                       interrupts_.interrupted() ? 1.0F : 0.0F,
                                       std::exchange(asks_to_end_, false) ? 1.0F : 0.0F,
                                       std::exchange(asks_to_save_, false) ? 1.0F : 0.0F,
                                       control_.rank() == 0 ? static_cast<float>(steps) : 0.0F};
  if (control_.size() > 1) control_.all_reduce(numbers);
  interrupted_ = numbers[Interrupted] > 0;
  if (numbers[GoalReached] > 0) goal_reached_ = true;
  save_ = numbers[Save] > 0;
  next_ = step + static_cast<int>(numbers[Steps]);
  StepRecord all = mine;
  if (control_.size() == 1) return all;  // as exact as it was
  all.images = static_cast<int>(numbers[Images]);
  all.losses = {.base_loss = numbers[BaseLoss] / control_.size(),
                .total_loss = numbers[TotalLoss] / control_.size(),
                .top_1_hits = static_cast<int>(numbers[TopOne]),
                .top_5_hits = static_cast<int>(numbers[TopFive])};
  return all;
}

// One slot for each rank, because all-reduce only sums.
Seconds StepAgreement::longest(Seconds mine) {
  if (alone()) return mine;
  std::vector<float> all(static_cast<size_t>(control_.size()));
  all[static_cast<size_t>(control_.rank())] = static_cast<float>(mine.count());
  control_.all_reduce(all);
  return std::max(mine, Seconds(*std::max_element(all.begin(), all.end())));
}

}  // namespace lockstep
