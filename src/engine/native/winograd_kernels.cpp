#include "engine/native/winograd_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/native/winograd_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lockstep::native::winograd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#include "engine/native/winograd_transforms-inl.h"

// For each vector of a block: function(tag, first lane).
template <typename Function>
HWY_INLINE void for_block(int block, const Function& function) {
  const hn::CappedTag<float, 8> narrow;
  const hn::CappedTag<float, 16> wide;
  if (block == 16) {
    for (int lane = 0; lane < 16; lane += static_cast<int>(hn::Lanes(wide))) function(wide, lane);
  } else {
    for (int lane = 0; lane < 8; lane += static_cast<int>(hn::Lanes(narrow))) {
      function(narrow, lane);
    }
  }
}

// Rows, then columns: kIn x kIn values from `load(row, column)` to kOut x kOut for `store`.
template <int kIn, int kOut, typename D, typename OneDimension, typename Load, typename Store>
HWY_INLINE void in_two_dimensions(D, const OneDimension& transform, const Load& load,
                                  const Store& store) {
  V<D> half[kOut][kIn];
  HWY_UNROLL(8)
  for (int column = 0; column < kIn; ++column) {
    V<D> in[kIn], out[kOut];
    HWY_UNROLL(8)
    for (int row = 0; row < kIn; ++row) in[row] = load(row, column);
    transform(in, out);
    HWY_UNROLL(8)
    for (int row = 0; row < kOut; ++row) half[row][column] = out[row];
  }
  HWY_UNROLL(8)
  for (int row = 0; row < kOut; ++row) {
    V<D> out[kOut];
    transform(half[row], out);
    HWY_UNROLL(8)
    for (int column = 0; column < kOut; ++column) store(row, column, out[column]);
  }
}

HWY_INLINE bool inside(const Patch& patch, int side) {
  return patch.top >= 0 && patch.left >= 0 && patch.top + side <= patch.height &&
         patch.left + side <= patch.width;
}

// side x side pixels of the patch, zeros where it leaves the image.
template <typename D, typename Body>
HWY_INLINE void with_pixels(D d, const Patch& patch, int side, const float* image, int lane,
                            const Body& body) {
  const int64_t row_stride = static_cast<int64_t>(patch.width) * patch.block;
  const float* origin = image + patch.top * row_stride + patch.left * patch.block + lane;
  if (inside(patch, side)) {
    body([&](int row, int column)
             HWY_ATTR { return hn::LoadU(d, origin + row * row_stride + column * patch.block); });
    return;
  }
  body([&](int row, int column) HWY_ATTR {
    const int y = patch.top + row, x = patch.left + column;
    const bool there = y >= 0 && y < patch.height && x >= 0 && x < patch.width;
    return there ? hn::LoadU(d, origin + row * row_stride + column * patch.block) : hn::Zero(d);
  });
}

void TransformInput(const Patch& patch, const float* image, float* out, int64_t stride) {
  for_block(patch.block, [&](auto d, int lane) HWY_ATTR {
    using D = decltype(d);
    with_pixels(d, patch, kRaw, image, lane, [&](const auto& load) HWY_ATTR {
      in_two_dimensions<kRaw, kRaw>(
          d, [&](const V<D>(&in)[kRaw], V<D>(&to)[kRaw]) HWY_ATTR { at_points(d, in, to); }, load,
          [&](int row, int column, V<D> value)
              HWY_ATTR { hn::StoreU(value, d, out + (row * kRaw + column) * stride + lane); });
    });
  });
}

template <int kSide>
void TransformOutputSide(const Patch& patch, const float* in, int64_t stride, const float* bias,
                         Bounds bounds, float* image) {
  for_block(patch.block, [&](auto d, int lane) HWY_ATTR {
    using D = decltype(d);
    const auto shift = bias ? hn::LoadU(d, bias + lane) : hn::Zero(d);
    const auto low = hn::Set(d, bounds.low), high = hn::Set(d, bounds.high);
    V<D> half[kSide][kRaw];
    HWY_UNROLL(8)
    for (int column = 0; column < kRaw; ++column) {
      V<D> x[kRaw], y[kSide];
      HWY_UNROLL(8)
      for (int row = 0; row < kRaw; ++row) {
        x[row] = hn::LoadU(d, in + (row * kRaw + column) * stride + lane);
      }
      interpolate<kSide>(d, x, y);
      HWY_UNROLL(8)
      for (int row = 0; row < kSide; ++row) half[row][column] = y[row];
    }
    const int64_t row_stride = static_cast<int64_t>(patch.width) * patch.block;
    float* origin = image + patch.top * row_stride + patch.left * patch.block + lane;
    HWY_UNROLL(8)
    for (int row = 0; row < kSide; ++row) {
      if (patch.top + row >= patch.height) break;
      V<D> y[kSide];
      interpolate<kSide>(d, half[row], y);
      HWY_UNROLL(8)
      for (int column = 0; column < kSide; ++column) {
        if (patch.left + column >= patch.width) break;
        const auto value = hn::Min(high, hn::Max(low, hn::Add(y[column], shift)));
        hn::StoreU(value, d, origin + row * row_stride + column * patch.block);
      }
    }
  });
}

void TransformOutput(int kernel, const Patch& patch, const float* in, int64_t stride,
                     const float* bias, Bounds bounds, float* image) {
  if (kernel == 3) {
    TransformOutputSide<4>(patch, in, stride, bias, bounds, image);
  } else {
    TransformOutputSide<2>(patch, in, stride, bias, bounds, image);
  }
}

// kCount x kCount values become 36.
template <int kCount, bool kDivide, typename D, typename Load>
HWY_INLINE void expand(D d, const Load& load, float* out, int64_t stride) {
  V<D> half[kRaw][kCount];
  HWY_UNROLL(8)
  for (int column = 0; column < kCount; ++column) {
    V<D> x[kCount], y[kRaw];
    HWY_UNROLL(8)
    for (int row = 0; row < kCount; ++row) x[row] = load(row, column);
    evaluate<kCount>(d, x, y);
    if (kDivide) divide(d, y);
    HWY_UNROLL(8)
    for (int row = 0; row < kRaw; ++row) half[row][column] = y[row];
  }
  HWY_UNROLL(8)
  for (int row = 0; row < kRaw; ++row) {
    V<D> y[kRaw];
    evaluate<kCount>(d, half[row], y);
    if (kDivide) divide(d, y);
    HWY_UNROLL(8)
    for (int column = 0; column < kRaw; ++column) {
      hn::StoreU(y[column], d, out + (row * kRaw + column) * stride);
    }
  }
}

void TransformGradient(int kernel, const Patch& patch, const float* image, float* out,
                       int64_t stride) {
  for_block(patch.block, [&](auto d, int lane) HWY_ATTR {
    with_pixels(d, patch, outputs_per_tile(kernel), image, lane, [&](const auto& load) HWY_ATTR {
      if (kernel == 3) {
        expand<4, false>(d, load, out + lane, stride);
      } else {
        expand<2, false>(d, load, out + lane, stride);
      }
    });
  });
}

void TransformWeights(int kernel, int block, bool flip, const float* weights, int64_t tap_stride,
                      float* out, int64_t stride) {
  for_block(block, [&](auto d, int lane) HWY_ATTR {
    const auto load = [&](int row, int column) HWY_ATTR {
      const int tap = row * kernel + column;
      const int place = flip ? kernel * kernel - 1 - tap : tap;
      return hn::LoadU(d, weights + place * tap_stride + lane);
    };
    if (kernel == 3) {
      expand<3, true>(d, load, out + lane, stride);
    } else {
      expand<5, true>(d, load, out + lane, stride);
    }
  });
}

template <int kSide>
void TransformWeightGradientSide(int block, const float* in, int64_t stride, float* weights,
                                 int64_t tap_stride) {
  for_block(block, [&](auto d, int lane) HWY_ATTR {
    using D = decltype(d);
    V<D> half[kSide][kRaw];
    for (int column = 0; column < kRaw; ++column) {
      V<D> x[kRaw], y[kSide];
      HWY_UNROLL(8)
      for (int row = 0; row < kRaw; ++row) {
        x[row] = hn::LoadU(d, in + (row * kRaw + column) * stride + lane);
      }
      divide(d, x);
      interpolate<kSide>(d, x, y);
      HWY_UNROLL(8)
      for (int row = 0; row < kSide; ++row) half[row][column] = y[row];
    }
    for (int row = 0; row < kSide; ++row) {
      V<D> y[kSide];
      divide(d, half[row]);
      interpolate<kSide>(d, half[row], y);
      HWY_UNROLL(8)
      for (int column = 0; column < kSide; ++column) {
        hn::StoreU(y[column], d, weights + (row * kSide + column) * tap_stride + lane);
      }
    }
  });
}

void TransformWeightGradient(int kernel, int block, const float* in, int64_t stride, float* weights,
                             int64_t tap_stride) {
  if (kernel == 3) {
    TransformWeightGradientSide<3>(block, in, stride, weights, tap_stride);
  } else {
    TransformWeightGradientSide<5>(block, in, stride, weights, tap_stride);
  }
}

// Two vectors of output channels: with six tiles, twelve sums that stay in registers.
using Panel = hn::CappedTag<float, 16>;

int PanelWidth() { return 2 * static_cast<int>(hn::Lanes(Panel())); }

void Multiply(const Product& p) {
  const Panel d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V<Panel> sum[kTilesPerGroup][2];
  HWY_UNROLL(8)
  for (int t = 0; t < kTilesPerGroup; ++t) sum[t][0] = sum[t][1] = hn::Zero(d);
  const float* u = p.u;
  const float* v = p.v;
  for (int64_t c = 0; c < p.depth; ++c, u += 2 * lanes, ++v) {
    if (p.next != nullptr) __builtin_prefetch(p.next + c * 2 * lanes);
    const auto u0 = hn::LoadU(d, u), u1 = hn::LoadU(d, u + lanes);
    HWY_UNROLL(8)
    for (int t = 0; t < kTilesPerGroup; ++t) {
      const auto value = hn::Set(d, v[t * p.v_stride]);
      sum[t][0] = hn::MulAdd(value, u0, sum[t][0]);
      sum[t][1] = hn::MulAdd(value, u1, sum[t][1]);
    }
  }
  HWY_UNROLL(8)
  for (int t = 0; t < kTilesPerGroup; ++t) {
    hn::StoreU(sum[t][0], d, p.out + t * p.out_stride);
    hn::StoreU(sum[t][1], d, p.out + t * p.out_stride + lanes);
  }
}

void Accumulate(const Outer& o) {
  const Panel d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V<Panel> sum[kRowsPerGroup][2];
  HWY_UNROLL(8)
  for (int r = 0; r < kRowsPerGroup; ++r) {
    const float* out = o.out + r * o.out_stride;
    sum[r][0] = o.first ? hn::Zero(d) : hn::LoadU(d, out);
    sum[r][1] = o.first ? hn::Zero(d) : hn::LoadU(d, out + lanes);
  }
  const float* v = o.v;
  const float* m = o.m;
  for (int64_t tile = 0; tile < o.tiles; ++tile, v += o.v_stride, m += o.m_stride) {
    const auto m0 = hn::LoadU(d, m), m1 = hn::LoadU(d, m + lanes);
    HWY_UNROLL(8)
    for (int r = 0; r < kRowsPerGroup; ++r) {
      const auto value = hn::Set(d, v[r]);
      sum[r][0] = hn::MulAdd(value, m0, sum[r][0]);
      sum[r][1] = hn::MulAdd(value, m1, sum[r][1]);
    }
  }
  HWY_UNROLL(8)
  for (int r = 0; r < kRowsPerGroup; ++r) {
    hn::StoreU(sum[r][0], d, o.out + r * o.out_stride);
    hn::StoreU(sum[r][1], d, o.out + r * o.out_stride + lanes);
  }
}

}  // namespace lockstep::native::winograd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::native::winograd {

HWY_EXPORT(TransformInput);
HWY_EXPORT(TransformOutput);
HWY_EXPORT(TransformGradient);
HWY_EXPORT(TransformWeights);
HWY_EXPORT(TransformWeightGradient);
HWY_EXPORT(PanelWidth);
HWY_EXPORT(Multiply);
HWY_EXPORT(Accumulate);

void transform_input(const Patch& patch, const float* image, float* out, int64_t stride) {
  HWY_DYNAMIC_DISPATCH(TransformInput)(patch, image, out, stride);
}
void transform_output(int kernel, const Patch& patch, const float* in, int64_t stride,
                      const float* bias, Bounds bounds, float* image) {
  HWY_DYNAMIC_DISPATCH(TransformOutput)(kernel, patch, in, stride, bias, bounds, image);
}
void transform_gradient(int kernel, const Patch& patch, const float* image, float* out,
                        int64_t stride) {
  HWY_DYNAMIC_DISPATCH(TransformGradient)(kernel, patch, image, out, stride);
}
void transform_weights(int kernel, int block, bool flip, const float* weights, int64_t tap_stride,
                       float* out, int64_t stride) {
  HWY_DYNAMIC_DISPATCH(TransformWeights)(kernel, block, flip, weights, tap_stride, out, stride);
}
void transform_weight_gradient(int kernel, int block, const float* in, int64_t stride,
                               float* weights, int64_t tap_stride) {
  HWY_DYNAMIC_DISPATCH(TransformWeightGradient)(kernel, block, in, stride, weights, tap_stride);
}
int panel() { return HWY_DYNAMIC_DISPATCH(PanelWidth)(); }
void multiply(const Product& product) { HWY_DYNAMIC_DISPATCH(Multiply)(product); }
void accumulate(const Outer& outer) { HWY_DYNAMIC_DISPATCH(Accumulate)(outer); }

}  // namespace lockstep::native::winograd
#endif
