// simple_ops.h: the operations that are one pass of our own kernels.
#pragma once

#include <memory>
#include <vector>

#include "engine/native/kernels.h"
#include "engine/native/op.h"
#include "nn/graph.h"

namespace lockstep::native {

// y = clamp(a [+ b]): addition, ReLU, or both.
std::unique_ptr<Op> make_add_op(OpInfo info, const Layout& layout, Value& a, Value* b, Value& y,
                                Bounds bounds);
// Into another layout: the image into blocks, blocks into a flat row.
std::unique_ptr<Op> make_reorder_op(OpInfo info, const Device& device, const Layout& layout,
                                    Value& x, Value& y);
std::unique_ptr<Op> make_global_pool_op(OpInfo info, const Layout& layout, Value& x, Value& y);

struct DropoutSpec {
  NodeId node;
  double keep;
  uint64_t seed;
  Value* x;
  Value* y;
};
std::unique_ptr<Op> make_dropout_op(OpInfo info, const Layout& layout, const DropoutSpec& spec);

// Each input at its channel of y; the rest of y is zero. Concatenation, and padding with channels.
struct Placed {
  Value* value;
  int64_t channel;
};
std::unique_ptr<Op> make_place_op(OpInfo info, const Layout& layout,
                                  const std::vector<Placed>& inputs, Value& y);

struct LossSpec {
  double weight;
  bool counts_hits;  // the main head
  Mode mode;
  Value* logits;
};
std::unique_ptr<Op> make_loss_op(OpInfo info, const Layout& layout, const LossSpec& spec);

}  // namespace lockstep::native
