// lowering.h: lowers layers to operations: what is fused, and in which layout.
//
//   conv [+ bias] + relu            fused by oneDNN
//   conv + bn (+ relu)              inference: folded into the convolution's weights
//   bn (+ add) (+ relu)             our kernel; writes straight into a concatenation
//   add + relu, dense + relu
#pragma once

#include <memory>
#include <vector>

#include "engine/native/conv_methods.h"
#include "engine/native/norm_op.h"
#include "engine/native/op.h"

namespace lockstep::native {

struct Lowered {
  std::vector<std::unique_ptr<Value>> values;
  std::vector<std::unique_ptr<NormState>> states;
  std::vector<StateInfo> state_infos;    // spans into states
  std::vector<std::unique_ptr<Op>> ops;  // in execution order; refer to values and states
};

// `device` is borrowed by the operations, `chooser` only meanwhile.
Lowered lower(const Graph& graph, const EngineOptions& options, const Layout& layout,
              const Device& device, ConvChooser& chooser);

}  // namespace lockstep::native
