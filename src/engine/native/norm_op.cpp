#include "engine/native/norm_op.h"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "engine/native/gradient_sum.h"
#include "engine/native/parallel.h"

namespace lockstep::native {
namespace {

class NormOp : public Op {
 public:
  NormOp(OpInfo info, const Layout& layout, const NormSpec& spec)
      : Op(std::move(info)),
        spec_(spec),
        layout_(layout),
        channels_(spec.x->shape.channels()),
        blocks_(layout.blocks(channels_)),
        row_{.pixels = spec.x->shape.height() * spec.x->shape.width(), .block = layout.block} {
    const int64_t padded = layout.padded(channels_);
    for (auto* v : {&mean_, &inverse_, &scale_, &shift_, &a_, &b_, &c_, &ones_}) v->resize(padded);
    std::fill_n(ones_.begin(), channels_, 1.0f);
    note_kernel("lockstep:simd");
  }

  std::vector<StoredParameter> parameters() const override {
    std::vector<StoredParameter> list = {stored_per_channel(layout_, spec_.beta, channels_)};
    if (spec_.gamma) list.push_back(stored_per_channel(layout_, *spec_.gamma, channels_));
    return list;
  }
  int64_t own_bytes() const override {
    return static_cast<int64_t>(sizeof(float)) * layout_.padded(channels_) *
           (8 + 2 * layout_.batch);
  }

  void plan_forward(Planner& planner) override {
    planner.read(*spec_.x);
    if (spec_.residual) planner.read(*spec_.residual);
    planner.write(*spec_.y);
  }

  void plan_backward(Planner& planner) override {
    Value& y = *spec_.y;
    planner.read(*spec_.x);
    sources_ = planner.take_gradients(y);
    // One dense gradient needs no copy: the clamp is recomputed from x.
    gathers_ = sources_.size() > 1 || spec_.residual || !planner.is_dense(y, sources_[0]);
    masks_by_y_ = spec_.residual && is_bounded(spec_.bounds);
    if (masks_by_y_) planner.read(y);
    const bool shares = spec_.residual && spec_.residual->needs_gradient;
    // What is overwritten must be read first: gradients that may be, from the front.
    const std::vector<View> all = sources_;
    const auto kept = std::partition(sources_.begin(), sources_.end(), [&](const View& view) {
      return planner.may_overwrite(y, all, view);
    });
    size_t free = static_cast<size_t>(kept - sources_.begin()), taken = 0;
    const auto take = [&] {
      return taken < free ? sources_[taken++] : planner.reserve_like(*spec_.x);
    };
    gathered_ = gathers_ ? take() : sources_[0];
    if (!spec_.x->needs_gradient) {
      dx_ = {};
    } else if (shares || (!gathers_ && free == 0)) {
      dx_ = take();
    } else {
      dx_ = gathered_;
    }
    if (dx_.buffer != kNoBuffer) planner.contribute(*spec_.x, dx_);
    if (shares) planner.contribute(*spec_.residual, gathered_);
  }

  void bind(const Addresses& addresses) override {
    x_ = addresses.at(spec_.x->data);
    y_ = addresses.at(spec_.y->data);
    residual_ = spec_.residual ? addresses.at(spec_.residual->data) : nullptr;
    beta_ = addresses.values(spec_.beta);
    gamma_ = spec_.gamma ? addresses.values(*spec_.gamma) : ones_.data();
    if (spec_.mode == Mode::Inference) return;
    partial_first_.resize(layout_.padded(channels_) * layout_.batch);
    partial_second_.resize(partial_first_.size());
    beta_gradient_ = addresses.gradient(spec_.beta);
    gamma_gradient_ = spec_.gamma ? addresses.gradient(*spec_.gamma) : nullptr;
    for (const View& view : sources_) source_data_.push_back(addresses.at(view));
    g_ = addresses.at(gathered_);
    dx_data_ = dx_.buffer == kNoBuffer ? nullptr : addresses.at(dx_);
  }

  void forward(StepContext&) override {
    if (spec_.mode == Mode::Inference) {
      parallel_for(blocks_, [&](int64_t block) { use_moving_averages(block); });
      parallel_for(blocks_ * layout_.batch,
                   [&](int64_t i) { normalise(i % blocks_, i / blocks_); });
      return;
    }
    by_block([&](int64_t block, int64_t image) { measure(block, image); },
             [&](int64_t block) { combine_moments(block); },
             [&](int64_t block, int64_t image) { normalise(block, image); });
  }

  void backward(StepContext&) override {
    by_block([&](int64_t block, int64_t image) { sum(block, image); },
             [&](int64_t block) { combine_sums(block); },
             [&](int64_t block, int64_t image) {
               if (dx_data_) apply(block, image);
             });
  }

 private:
  // Reduce over images, combine, then touch every image again. A thread that does whole channel
  // blocks finds them in its cache the second time; with too few blocks for the threads, images
  // are shared out too. Sums are kept per image and added in order, so both ways (and any number
  // of threads) give the same bits.
  template <typename First, typename Combine, typename Second>
  void by_block(const First& first, const Combine& combine, const Second& second) {
    const int threads = omp_get_max_threads();
    const int64_t batch = layout_.batch;
    if (blocks_ % threads == 0 || blocks_ >= 8 * threads) {
      parallel_for(blocks_, [&](int64_t block) {
        for (int64_t image = 0; image < batch; ++image) first(block, image);
        combine(block);
        for (int64_t image = batch - 1; image >= 0; --image) second(block, image);
      });
    } else {
      parallel_for(blocks_ * batch, [&](int64_t i) { first(i % blocks_, i / blocks_); });
      parallel_for(blocks_, combine);
      parallel_for(blocks_ * batch, [&](int64_t i) { second(i % blocks_, i / blocks_); });
    }
  }

  int64_t dense(int64_t block, int64_t image) const {
    return (image * blocks_ + block) * row_.floats();
  }
  int64_t in(const View& view, int64_t block, int64_t image) const {
    return image * view.image_stride + block * row_.floats();
  }
  int64_t partial(int64_t block, int64_t image) const {
    return (image * blocks_ + block) * layout_.block;
  }

  void measure(int64_t block, int64_t image) {
    const int64_t p = partial(block, image);
    row_moments(row_, x_ + dense(block, image), &partial_first_[p], &partial_second_[p]);
  }

  // Chan's formula for equal counts.
  void combine_moments(int64_t block) {
    const double images = layout_.batch, pixels = static_cast<double>(row_.pixels);
    const double decay = spec_.layer.decay;
    for (int64_t c = block * layout_.block; c < (block + 1) * layout_.block; ++c) {
      const auto part = [&](const std::vector<float>& partials, int64_t image) {
        return static_cast<double>(partials[image * blocks_ * layout_.block + c]);
      };
      double mean = 0, squares = 0;
      for (int64_t n = 0; n < layout_.batch; ++n) mean += part(partial_first_, n);
      mean /= images;
      for (int64_t n = 0; n < layout_.batch; ++n) {
        const double distance = part(partial_first_, n) - mean;
        squares += part(partial_second_, n) + pixels * distance * distance;
      }
      const double variance = squares / (images * pixels);
      mean_[c] = static_cast<float>(mean);
      inverse_[c] = static_cast<float>(1 / std::sqrt(variance + spec_.layer.epsilon));
      set_scale(c, mean_[c]);
      float& moving_mean = spec_.state->mean[c];
      float& moving_variance = spec_.state->variance[c];
      moving_mean = static_cast<float>(decay * moving_mean + (1 - decay) * mean);
      moving_variance = static_cast<float>(decay * moving_variance + (1 - decay) * variance);
    }
  }

  void use_moving_averages(int64_t block) {
    for (int64_t c = block * layout_.block; c < (block + 1) * layout_.block; ++c) {
      inverse_[c] =
          static_cast<float>(1 / std::sqrt(spec_.state->variance[c] + spec_.layer.epsilon));
      set_scale(c, spec_.state->mean[c]);
    }
  }

  void set_scale(int64_t c, float mean) {
    scale_[c] = (c < channels_ ? gamma_[c] : 0.0f) * inverse_[c];
    shift_[c] = beta_[c] - mean * scale_[c];
  }

  void normalise(int64_t block, int64_t image) {
    const int64_t c = block * layout_.block, x = dense(block, image);
    row_normalise(row_, x_ + x, &scale_[c], &shift_[c], residual_ ? residual_ + x : nullptr,
                  spec_.bounds, y_ + in(spec_.y->data, block, image));
  }

  Clamp clamp_at(int64_t block) const {
    const int64_t c = block * layout_.block;
    return {&scale_[c], &shift_[c], spec_.bounds};
  }
  bool masks_by_x() const { return is_bounded(spec_.bounds) && !masks_by_y_; }

  void gather(int64_t block, int64_t image) {
    const auto row = [&](size_t k) { return source_data_[k] + in(sources_[k], block, image); };
    add_rows(row_.floats(), sources_.size(), row,
             masks_by_y_ ? y_ + in(spec_.y->data, block, image) : nullptr, spec_.bounds,
             g_ + dense(block, image));
  }

  void sum(int64_t block, int64_t image) {
    if (gathers_) gather(block, image);
    const int64_t p = partial(block, image), x = dense(block, image);
    const Clamp clamp = clamp_at(block);
    row_gradient_sums(row_, g_ + x, x_ + x, &mean_[block * layout_.block],
                      masks_by_x() ? &clamp : nullptr, &partial_first_[p], &partial_second_[p]);
  }

  // dx = gamma / sigma * (g - mean(g) - xhat * mean(g * xhat)), written as a * g + b * x + c.
  void combine_sums(int64_t block) {
    const double count = static_cast<double>(layout_.batch) * static_cast<double>(row_.pixels);
    for (int64_t c = block * layout_.block; c < (block + 1) * layout_.block; ++c) {
      double sum_g = 0, sum_gx = 0;
      for (int64_t n = 0; n < layout_.batch; ++n) {
        sum_g += partial_first_[n * blocks_ * layout_.block + c];
        sum_gx += partial_second_[n * blocks_ * layout_.block + c];
      }
      const double inverse = inverse_[c];
      const bool real = c < channels_;
      beta_gradient_[c] = real ? static_cast<float>(sum_g) : 0.0f;
      if (gamma_gradient_) gamma_gradient_[c] = real ? static_cast<float>(sum_gx * inverse) : 0.0f;
      const double a = scale_[c];
      const double b = -a * inverse * inverse * sum_gx / count;
      a_[c] = static_cast<float>(a);
      b_[c] = static_cast<float>(b);
      c_[c] = static_cast<float>(-a * sum_g / count - b * mean_[c]);
    }
  }

  void apply(int64_t block, int64_t image) {
    const int64_t c = block * layout_.block, x = dense(block, image);
    const Clamp clamp = clamp_at(block);
    row_gradient_apply(row_, g_ + x, x_ + x, &a_[c], &b_[c], &c_[c],
                       masks_by_x() ? &clamp : nullptr, dx_data_ + x);
  }

  NormSpec spec_;
  Layout layout_;
  int64_t channels_, blocks_;
  Row row_;
  std::vector<float> mean_, inverse_, scale_, shift_, a_, b_, c_, ones_;  // by channel
  std::vector<float> partial_first_, partial_second_;                     // by image and channel

  std::vector<View> sources_;
  View gathered_, dx_;
  bool gathers_ = false, masks_by_y_ = false;

  const float *x_ = nullptr, *residual_ = nullptr, *beta_ = nullptr, *gamma_ = nullptr;
  float *y_ = nullptr, *g_ = nullptr, *dx_data_ = nullptr;
  float *beta_gradient_ = nullptr, *gamma_gradient_ = nullptr;
  std::vector<const float*> source_data_;
};

}  // namespace

std::unique_ptr<Op> make_norm_op(OpInfo info, const Layout& layout, const NormSpec& spec) {
  return std::make_unique<NormOp>(std::move(info), layout, spec);
}

StoredParameter stored_per_channel(const Layout& layout, ParameterId id, int64_t channels) {
  const dnnl::memory::dims dims = {1, channels, 1, 1};
  return {.id = id,
          .stored = {dims, kFloat, layout.blocked_tag()},
          .plain = {dims, kFloat, dnnl::memory::format_tag::nchw}};
}

}  // namespace lockstep::native
