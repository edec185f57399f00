// planner.h: decides where every temporary of a step lives, before any memory is allocated.
//
// A step is a line of ticks: each operation's forward in order, then each one's backward in
// reverse. A buffer lives from its first tick to its last; buffers that never live at the same
// time share memory. The operations say what they touch while they are planned in that order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/native/layout.h"

namespace lockstep::native {

using BufferId = int;
constexpr BufferId kNoBuffer = -1;

// Some channels of every image in a buffer: a whole activation, or its slice of a concatenation.
struct View {
  BufferId buffer = kNoBuffer;
  int64_t start = 0;         // floats
  int64_t image_stride = 0;  // floats from one image to the next
};

// An activation: the output of a node.
struct Value {
  Shape shape;
  Format format = Format::Blocked;
  View data;
  Value* parent = nullptr;      // the concatenation that this is a slice of
  bool needs_gradient = false;  // something below it learns
  std::vector<View> gradients;  // planned so far; the gradient is their sum
};

class Planner {
 public:
  explicit Planner(const Layout& layout) : layout_(layout) {}

  const Layout& layout() const { return layout_; }
  void set_tick(int tick) { tick_ = tick; }

  BufferId reserve(int64_t bytes);  // lives now; use() makes it live longer
  void use(BufferId buffer);
  View reserve_like(const Value& value);  // a dense buffer of the value's size
  void write(Value& value);               // reserves it (or the concatenation it is part of)
  void read(const Value& value);

  void contribute(Value& value, const View& gradient);
  // The gradients planned for a value, used now for the last time by this value's producer.
  std::vector<View> take_gradients(Value& value);
  // Of these gradients of a value, may this one be overwritten by their sum? Nobody reads it after
  // this tick, it is a buffer of its own, and no other one of them is in that buffer.
  bool may_overwrite(const Value& value, const std::vector<View>& gradients,
                     const View& view) const;
  bool is_dense(const Value& value, const View& view) const;

  int64_t place();  // gives every buffer its offset; returns the bytes needed
  int64_t offset(BufferId buffer) const { return buffers_[buffer].offset; }

 private:
  struct Buffer {
    int64_t bytes;
    int first, last;
    int pending = 0;  // values that still have to take this gradient
    int64_t offset = 0;
  };

  Layout layout_;
  int tick_ = 0;
  std::vector<Buffer> buffers_;
};

}  // namespace lockstep::native
