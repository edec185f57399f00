// schedule.h: the learning rate as a function of the step alone.
//
// First the user's flags or the model's own schedule become a Schedule, plain values in steps;
// then at(step) reads it. Every schedule here is stairs (rates between boundaries), a staircase
// decay with a floor, and a linear rise from zero at the start, each of which may be absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep {

enum class ScheduleKind {
  Constant,
  ResnetImagenet,  // scaled by batch / 256; 5 epochs of warm-up; a tenth at 30, 60, 80, 90 epochs
  ResnetCifar,     // stairs at 82, 123, 300 epochs
  DensenetCifar,   // stairs at 150, 225, 300 epochs
  AlexnetCifar,    // a tenth every 100 epochs
};

struct ModelSchedule {
  ScheduleKind kind;
  double base;  // the first rate; of ResnetImagenet: at a batch of 256
};

// What the user may set; absent or zero: not set.
struct LearningRateFlags {
  std::optional<std::string> piecewise = {};  // "LR0;E1;LR1;...;En;LRn": rates, epochs between
  std::optional<double> initial = {};
  double epochs_per_decay = 0;
  double decay_factor = 0;
  double minimum = 0;
  double warmup_epochs = 0;
  std::optional<double> resnet_base = {};
};

// One line per contradiction, in the words of the command line; empty: fine.
std::vector<std::string> problems_in(const LearningRateFlags& flags);

// What turns epochs into steps.
struct TrainingScale {
  int64_t examples_per_epoch;
  int64_t examples_per_step;      // of all replicas together
  int gradients_summed_over = 1;  // replicas whose gradients are summed and not averaged:
                                  // ResNet's own schedule divides by it
};

struct Schedule {
  std::vector<int64_t> boundaries = {};  // last step of each stair but the last
  std::vector<double> rates = {};        // one more than boundaries
  int64_t decay_steps = 0;               // 0: no decay
  double decay_factor = 1;
  double minimum = 0;
  int64_t warmup_steps = 0;

  double at(int64_t step) const;
};

// Priority: piecewise, then an initial rate with its decay, then the model's own. Throws
// UsageError with all of problems_in().
Schedule make_schedule(const ModelSchedule& model, const LearningRateFlags& flags,
                       const TrainingScale& scale);

}  // namespace lockstep
