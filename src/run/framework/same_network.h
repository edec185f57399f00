// same_network.h: whether a framework trains the network that our own engine trains.
#pragma once

#include <filesystem>
#include <span>

#include "framework/framework_line.h"
#include "framework/frameworks.h"
#include "report/results/run_result.h"
#include "run/framework/native_check.h"

namespace lockstep {

// Of a loss, relative: f32 sums in another order, through a deep network.
inline constexpr double kSameLoss = 1e-3;
// Of a parameter, as a part of what gradients changed. Where a ReLU's input is nearly 0, rounding
// decides whether it passes a gradient: gradients of deep networks agree to a few percent only.
inline constexpr double kSameGradient = 0.1;
// To it is added so many times what rounding changes in our own engine (CheckedRow::noise).
inline constexpr double kAboveNoise = 3;
// Where that makes more, a row says nothing: a gradient that is missing would pass.
inline constexpr double kMostTolerance = 0.5;

// The largest relative difference of the losses of the first steps. Throws Error when it is above
// kSameLoss.
double same_losses(const Framework& framework, std::span<const double> native,
                   std::span<const double> theirs);

// How a row of numbers differs after a checked step, in relation to CheckedRow::moved.
struct RowDifference {
  double difference = 0;  // beyond the rounding of its values
  double tolerance = kSameGradient;
};
struct ValueCheck {
  RowDifference nearest;  // of the row that is nearest to its tolerance
  int noisy_rows = 0;     // too noisy to compare after any step
};

// `theirs`: a file like native.values. Throws Error that names the row which is above its
// tolerance.
ValueCheck same_values(const Framework& framework, const NativeCheck& native,
                       const std::filesystem::path& theirs);

// Throws Error when parameters or multiply-adds differ.
void require_same_size(const Framework& framework, const RunFacts& facts,
                       const NetworkEvent& network);

}  // namespace lockstep
