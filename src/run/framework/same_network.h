// same_network.h: whether a framework trains the network that our own engine trains.
#pragma once

#include <span>

#include "framework/framework_line.h"
#include "framework/frameworks.h"
#include "report/results/run_result.h"

namespace lockstep {

// Of a loss, relative: f32 sums in another order, through a deep network.
inline constexpr double kSameLoss = 1e-3;

// The largest relative difference of the losses of the first steps. Throws Error when it is above
// kSameLoss.
double same_losses(const Framework& framework, std::span<const double> native,
                   std::span<const double> theirs);

// Throws Error when parameters or multiply-adds differ.
void require_same_size(const Framework& framework, const RunFacts& facts,
                       const NetworkEvent& network);

}  // namespace lockstep
