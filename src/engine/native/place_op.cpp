// place_op.cpp: inputs side by side along channels: concatenation, and padding with channels.
//
// An input that its producer wrote straight into y (a slice) costs nothing here. Gradients of
// inputs that fill whole blocks are views of y's gradient; only the others are copied out.
#include <algorithm>
#include <cstring>

#include "engine/native/gradient_sum.h"
#include "engine/native/parallel.h"
#include "engine/native/simple_ops.h"

namespace lockstep::native {
namespace {

// Channels [from, from + count) of one image to channels [to, ...) of another, blocked.
struct ChannelCopy {
  int64_t from, to, count, pixels;
  int block;

  void run(const float* source, float* target) const {
    for (int64_t done = 0; done < count;) {
      const int64_t a = from + done, b = to + done;
      const bool whole = a % block == 0 && b % block == 0 && count - done >= block;
      const int64_t width =
          whole ? block : std::min({count - done, block - a % block, block - b % block});
      const float* in = source + a / block * block * pixels + a % block;
      float* out = target + b / block * block * pixels + b % block;
      if (whole) {
        std::memcpy(out, in, sizeof(float) * block * pixels);
      } else {
        for (int64_t p = 0; p < pixels; ++p) std::copy_n(in + p * block, width, out + p * block);
      }
      done += width;
    }
  }
};

class PlaceOp : public Op {
 public:
  PlaceOp(OpInfo info, const Layout& layout, const std::vector<Placed>& inputs, Value& y)
      : Op(std::move(info)),
        layout_(layout),
        y_(y),
        pixels_(y.shape.height() * y.shape.width()),
        floats_(layout.floats_per_image(y.shape, y.format)) {
    int64_t placed = 0;
    for (const Placed& in : inputs) {
      placed += in.value->shape.channels();
      inputs_.push_back({in.value, in.channel, {}, nullptr, nullptr});
    }
    clears_ = placed < layout.padded(y.shape.channels());
    note_kernel("lockstep:copy");
  }

  void plan_forward(Planner& planner) override {
    for (const Input& in : inputs_) planner.read(*in.value);
    planner.write(y_);
  }

  void plan_backward(Planner& planner) override {
    if (!y_.needs_gradient) return;
    const bool copies = std::any_of(inputs_.begin(), inputs_.end(), [&](const Input& in) {
      return in.value->needs_gradient && !fills_blocks(in);
    });
    std::vector<View> parts;
    if (copies) {
      gradient_.plan(planner, y_, kUnbounded);
      parts = {gradient_.view()};
    } else {
      parts = planner.take_gradients(y_);
    }
    for (Input& in : inputs_) {
      if (!in.value->needs_gradient) continue;
      if (!fills_blocks(in)) {
        in.gradient = planner.reserve_like(*in.value);
        planner.contribute(*in.value, in.gradient);
        continue;
      }
      for (View part : parts) {
        part.start += in.channel * pixels_;
        planner.contribute(*in.value, part);
      }
    }
  }

  void bind(const Addresses& addresses) override {
    y_data_ = addresses.at(y_.data);
    if (gradient_.view().buffer != kNoBuffer) gradient_.bind(addresses);
    for (Input& in : inputs_) {
      in.data = addresses.at(in.value->data);
      if (in.gradient.buffer != kNoBuffer) in.gradient_data = addresses.at(in.gradient);
    }
  }

  void forward(StepContext&) override {
    parallel_for(layout_.batch, [&](int64_t image) {
      float* y = y_data_ + image * floats_;
      if (clears_) clear_unplaced(y);
      for (const Input& in : inputs_) {
        if (in.value->parent == &y_) continue;
        copy(in, 0, in.channel).run(in.data + image * in.value->data.image_stride, y);
      }
    });
  }

  void backward(StepContext&) override {
    if (gradient_.view().buffer == kNoBuffer) return;
    gradient_.run();
    parallel_for(layout_.batch, [&](int64_t image) {
      for (const Input& in : inputs_) {
        if (!in.gradient_data) continue;
        const int64_t floats = layout_.floats_per_image(in.value->shape, Format::Blocked);
        float* dx = in.gradient_data + image * floats;
        std::fill_n(dx, floats, 0.0f);
        copy(in, in.channel, 0).run(gradient_.data() + image * floats_, dx);
      }
    });
  }

 private:
  struct Input {
    Value* value;
    int64_t channel;
    View gradient;  // where it must be copied
    const float* data;
    float* gradient_data;
  };

  bool fills_blocks(const Input& in) const {
    return in.channel % layout_.block == 0 && in.value->shape.channels() % layout_.block == 0;
  }
  ChannelCopy copy(const Input& in, int64_t from, int64_t to) const {
    return {from, to, in.value->shape.channels(), pixels_, layout_.block};
  }
  // Whole blocks are cheap to clear, and what is placed is copied over them; a slice was written
  // by its producer and must not be touched.
  void clear_unplaced(float* y) const {
    const int64_t blocks = floats_ / (layout_.block * pixels_);
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t first = block * layout_.block;
      const bool slice = std::any_of(inputs_.begin(), inputs_.end(), [&](const Input& in) {
        return in.value->parent == &y_ && first >= in.channel &&
               first < in.channel + in.value->shape.channels();
      });
      if (!slice) std::fill_n(y + first * pixels_, layout_.block * pixels_, 0.0f);
    }
  }

  Layout layout_;
  Value& y_;
  int64_t pixels_, floats_;
  std::vector<Input> inputs_;
  bool clears_ = false;
  GradientSum gradient_;
  float* y_data_ = nullptr;
};

}  // namespace

std::unique_ptr<Op> make_place_op(OpInfo info, const Layout& layout,
                                  const std::vector<Placed>& inputs, Value& y) {
  return std::make_unique<PlaceOp>(std::move(info), layout, inputs, y);
}

}  // namespace lockstep::native
