// window_op.h: layers without parameters that look at a window: pooling, and normalisation across
// channels.
#pragma once

#include <memory>

#include "engine/native/op.h"
#include "nn/layers.h"

namespace lockstep::native {

struct WindowSpec {
  Value* x;
  Value* y;
  Pads pads;
  Mode mode;
};

std::unique_ptr<Op> make_pool_op(OpInfo info, const Device& device, const Layout& layout,
                                 const Pool& layer, const WindowSpec& spec);
// `layer` pools maxima, of at most kLargestMaxWindow elements each.
std::unique_ptr<Op> make_max_pool_op(OpInfo info, const Layout& layout, const Pool& layer,
                                     const WindowSpec& spec);
std::unique_ptr<Op> make_lrn_op(OpInfo info, const Device& device, const Layout& layout,
                                const Lrn& layer, const WindowSpec& spec);

}  // namespace lockstep::native
