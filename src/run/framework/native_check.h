// native_check.h: the first steps by our own engine: what a framework that trains the same network
// must reproduce.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "run/run_input.h"
#include "run/run_plan.h"

namespace lockstep {

// A row of numbers that a step changes: a parameter, or a moving average of batch normalisation.
struct CheckedRow {
  std::string name;  // "conv0/kernel", "batchnorm0/moving_mean"
  int64_t size = 0;
  // By step: length of the way that gradients moved it until then, or of its change. A difference
  // counts in relation to it.
  std::vector<double> moved;
  // By step: length of the difference that images make which differ by rounding. In deep networks
  // it is far above rounding: no framework can agree to less.
  std::vector<double> noise;
};

struct NativeCheck {
  // Chosen so that an update changes the loss noticeably, whatever the network...
  double learning_rate = 0;
  // ...and so that this changes values as much as gradients do: in a usual run it would not show.
  double weight_decay = 0;
  std::vector<double> losses;  // without L2
  std::vector<CheckedRow> rows;
  std::filesystem::path values;  // file: after each step all rows, plain, as f32
};

// One replica by itself, on the images of this rank, with a constant learning rate; then again, on
// images that differ by rounding. Writes the values of the first into `directory`.
NativeCheck native_check(const RunPlan& plan, const InputShare& share, int steps,
                         const std::filesystem::path& directory);

}  // namespace lockstep
