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

// The largest relative difference of the losses of the first steps. Throws Error when it is above
// kSameLoss.
double same_losses(const Framework& framework, std::span<const double> native,
                   std::span<const double> theirs);

// The largest difference of a row of numbers after a checked step, in relation to
// CheckedRow::moved. `theirs`: a file like native.values. Throws Error that names the row when it
// is above kSameGradient, and rounding of values does not explain it.
double same_values(const Framework& framework, const NativeCheck& native,
                   const std::filesystem::path& theirs);

// Throws Error when parameters or multiply-adds differ.
void require_same_size(const Framework& framework, const RunFacts& facts,
                       const NetworkEvent& network);

}  // namespace lockstep
