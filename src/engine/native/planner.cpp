#include "engine/native/planner.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace lockstep::native {
namespace {

constexpr int64_t kAlignment = 4096;

}  // namespace

BufferId Planner::reserve(int64_t bytes) {
  const int64_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  buffers_.push_back({.bytes = rounded, .first = tick_, .last = tick_});
  return static_cast<BufferId>(buffers_.size()) - 1;
}

void Planner::use(BufferId buffer) {
  assert(buffer != kNoBuffer);
  buffers_[buffer].last = std::max(buffers_[buffer].last, tick_);
}

View Planner::reserve_like(const Value& value) {
  const int64_t floats = layout_.floats_per_image(value.shape, value.format);
  return {.buffer = reserve(floats * layout_.batch * static_cast<int64_t>(sizeof(float))),
          .start = 0,
          .image_stride = floats};
}

void Planner::write(Value& value) {
  if (value.parent != nullptr) {
    write(*value.parent);
    value.data.buffer = value.parent->data.buffer;
    value.data.image_stride = value.parent->data.image_stride;
  } else if (value.data.buffer == kNoBuffer) {
    value.data = reserve_like(value);
  }
  use(value.data.buffer);
}

void Planner::read(const Value& value) {
  if (value.format != Format::Image) use(value.data.buffer);
}

void Planner::contribute(Value& value, const View& gradient) {
  if (!value.needs_gradient) return;
  use(gradient.buffer);
  ++buffers_[gradient.buffer].pending;
  value.gradients.push_back(gradient);
}

std::vector<View> Planner::take_gradients(Value& value) {
  for (const View& gradient : value.gradients) {
    use(gradient.buffer);
    --buffers_[gradient.buffer].pending;
  }
  return std::exchange(value.gradients, {});
}

bool Planner::is_dense(const Value& value, const View& view) const {
  return view.start == 0 &&
         view.image_stride == layout_.floats_per_image(value.shape, value.format);
}

bool Planner::may_overwrite(const Value& value, const std::vector<View>& gradients,
                            const View& view) const {
  return is_dense(value, view) && buffers_[view.buffer].pending == 0 &&
         std::ranges::count(gradients, view.buffer, &View::buffer) == 1;
}

// Largest first, each at the lowest place that is free for its whole life.
int64_t Planner::place() {
  std::vector<BufferId> order(buffers_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](BufferId a, BufferId b) { return buffers_[a].bytes > buffers_[b].bytes; });
  std::vector<BufferId> placed;  // by offset
  int64_t total = 0;
  for (const BufferId id : order) {
    Buffer& buffer = buffers_[id];
    int64_t offset = 0;
    for (const BufferId other_id : placed) {
      const Buffer& other = buffers_[other_id];
      const bool together = buffer.first <= other.last && other.first <= buffer.last;
      if (!together || other.offset + other.bytes <= offset) continue;
      if (offset + buffer.bytes <= other.offset) break;
      offset = other.offset + other.bytes;
    }
    buffer.offset = offset;
    const auto by_offset = [&](BufferId a, BufferId b) {
      return buffers_[a].offset < buffers_[b].offset;
    };
    placed.insert(std::upper_bound(placed.begin(), placed.end(), id, by_offset), id);
    total = std::max(total, offset + buffer.bytes);
  }
  return total;
}

}  // namespace lockstep::native
