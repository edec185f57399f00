// expected_step.h: what one step of a small network must compute, by the plain reference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/reference/replica.h"
#include "engine/reference/small_networks.h"

namespace lockstep {

struct ExpectedStep {
  SmallNetwork network;
  Examples examples;
  StepOutcome outcome;
  std::vector<std::vector<float>> gradients;  // plain, by parameter
};

// Of all small networks. Dropout drops the same values in every engine.
std::vector<ExpectedStep> expected_steps();

// What an engine made of it.
struct ActualStep {
  StepOutcome outcome;
  std::vector<std::vector<float>> gradients;
};

struct StepPlace {
  MakeEngine make;
  std::string device = "cpu";
  int threads = 1;
  Dtype dtype = Dtype::F32;
};
ActualStep take_step(const ExpectedStep& expected, const StepPlace& place);

// The first difference that rounding in this format does not explain, in words. Absent: there is
// none.
std::optional<std::string> difference(const ExpectedStep& expected, const ActualStep& actual,
                                      Dtype dtype = Dtype::F32);

// Of every bit of it.
uint64_t digest_of(const ActualStep& actual);

}  // namespace lockstep
