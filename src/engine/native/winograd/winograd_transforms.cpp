// winograd_transforms.cpp: the two-dimensional transforms, for every tiling.
#include "engine/native/winograd/winograd_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/native/winograd/winograd_transforms.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lockstep::native::winograd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#include "engine/native/winograd/winograd_points-inl.h"

template <int kRaw>
struct PointsOf;
template <>
struct PointsOf<1> {
  using Type = One;
};
template <>
struct PointsOf<6> {
  using Type = Six;
};
template <>
struct PointsOf<8> {
  using Type = Eight;
};

// A tiling known to the compiler.
template <int kIndex>
struct Fixed {
  static constexpr Tiling kTiling = kTilings[kIndex];
  using Rows = typename PointsOf<kTiling.rows.raw()>::Type;
  using Columns = typename PointsOf<kTiling.columns.raw()>::Type;
  static constexpr int kRawRows = Rows::kRaw, kRawColumns = Columns::kRaw;
  static constexpr int kRows = kTiling.rows.outputs, kColumns = kTiling.columns.outputs;
  static constexpr int kTapRows = kTiling.rows.taps, kTapColumns = kTiling.columns.taps;
};

// function(Fixed<i>()) of the tiling.
template <int kIndex = 0, typename Function>
HWY_INLINE void with_fixed(const Tiling& tiling, const Function& function) {
  if (tiling == kTilings[kIndex]) {
    function(Fixed<kIndex>());
  } else if constexpr (kIndex + 1 < static_cast<int>(std::size(kTilings))) {
    with_fixed<kIndex + 1>(tiling, function);
  }
}

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

// kInRows x kInColumns values from load(row, column): down each column, then along each row, to
// store(row, column, value).
template <int kInRows, int kInColumns, int kOutRows, int kOutColumns, typename D, typename Down,
          typename Along, typename Load, typename Store>
HWY_INLINE void in_two_dimensions(D, const Down& down, const Along& along, const Load& load,
                                  const Store& store) {
  V<D> half[kOutRows][kInColumns];
  HWY_UNROLL(8)
  for (int column = 0; column < kInColumns; ++column) {
    V<D> in[kInRows], out[kOutRows];
    HWY_UNROLL(8)
    for (int row = 0; row < kInRows; ++row) in[row] = load(row, column);
    down(in, out);
    HWY_UNROLL(8)
    for (int row = 0; row < kOutRows; ++row) half[row][column] = out[row];
  }
  HWY_UNROLL(8)
  for (int row = 0; row < kOutRows; ++row) {
    V<D> out[kOutColumns];
    along(half[row], out);
    HWY_UNROLL(8)
    for (int column = 0; column < kOutColumns; ++column) store(row, column, out[column]);
  }
}

// rows x columns pixels of the patch, zeros where it leaves the image.
template <typename D, typename Body>
HWY_INLINE void with_pixels(D d, const Patch& patch, Extent size, const float* image, int lane,
                            const Body& body) {
  const int64_t row_stride = static_cast<int64_t>(patch.width) * patch.block;
  const float* origin = image + patch.top * row_stride + patch.left * patch.block + lane;
  const bool inside = patch.top >= 0 && patch.left >= 0 &&
                      patch.top + size.height <= patch.height &&
                      patch.left + size.width <= patch.width;
  if (inside) {
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

void TransformInput(const Tiling& tiling, const Patch& patch, const float* image, float* out,
                    int64_t stride) {
  with_fixed(tiling, [&](auto fixed) HWY_ATTR {
    using T = decltype(fixed);
    for_block(patch.block, [&](auto d, int lane) HWY_ATTR {
      using D = decltype(d);
      with_pixels(
          d, patch, {T::kRawRows, T::kRawColumns}, image, lane, [&](const auto& load) HWY_ATTR {
            in_two_dimensions<T::kRawRows, T::kRawColumns, T::kRawRows, T::kRawColumns>(
                d,
                [&](const V<D>* in, V<D>* to) HWY_ATTR { at_points<typename T::Rows>(d, in, to); },
                [&](const V<D>* in, V<D>* to)
                    HWY_ATTR { at_points<typename T::Columns>(d, in, to); },
                load,
                [&](int row, int column, V<D> value) HWY_ATTR {
                  hn::StoreU(value, d, out + (row * T::kRawColumns + column) * stride + lane);
                });
          });
    });
  });
}

void TransformOutput(const Tiling& tiling, const Patch& patch, const float* in, int64_t stride,
                     const float* bias, Bounds bounds, float* image) {
  const int64_t row_stride = static_cast<int64_t>(patch.width) * patch.block;
  float* origin = image + patch.top * row_stride + patch.left * patch.block;
  const int rows = patch.height - patch.top, columns = patch.width - patch.left;
  with_fixed(tiling, [&](auto fixed) HWY_ATTR {
    using T = decltype(fixed);
    for_block(patch.block, [&](auto d, int lane) HWY_ATTR {
      using D = decltype(d);
      const auto shift = bias ? hn::LoadU(d, bias + lane) : hn::Zero(d);
      const auto low = hn::Set(d, bounds.low), high = hn::Set(d, bounds.high);
      in_two_dimensions<T::kRawRows, T::kRawColumns, T::kRows, T::kColumns>(
          d,
          [&](const V<D>* x, V<D>* to)
              HWY_ATTR { interpolate<typename T::Rows, T::kRows>(d, x, to); },
          [&](const V<D>* x, V<D>* to)
              HWY_ATTR { interpolate<typename T::Columns, T::kColumns>(d, x, to); },
          [&](int row, int column) HWY_ATTR {
            return hn::LoadU(d, in + (row * T::kRawColumns + column) * stride + lane);
          },
          [&](int row, int column, V<D> value) HWY_ATTR {
            if (row >= rows || column >= columns) return;
            value = hn::Min(high, hn::Max(low, hn::Add(value, shift)));
            hn::StoreU(value, d, origin + row * row_stride + column * patch.block + lane);
          });
    });
  });
}

void TransformGradient(const Tiling& tiling, const Patch& patch, const float* image, float* out,
                       int64_t stride) {
  with_fixed(tiling, [&](auto fixed) HWY_ATTR {
    using T = decltype(fixed);
    for_block(patch.block, [&](auto d, int lane) HWY_ATTR {
      using D = decltype(d);
      with_pixels(d, patch, {T::kRows, T::kColumns}, image, lane, [&](const auto& load) HWY_ATTR {
        in_two_dimensions<T::kRows, T::kColumns, T::kRawRows, T::kRawColumns>(
            d,
            [&](const V<D>* x, V<D>* to)
                HWY_ATTR { evaluate<typename T::Rows, T::kRows>(d, x, to); },
            [&](const V<D>* x, V<D>* to)
                HWY_ATTR { evaluate<typename T::Columns, T::kColumns>(d, x, to); },
            load,
            [&](int row, int column, V<D> value) HWY_ATTR {
              hn::StoreU(value, d, out + (row * T::kRawColumns + column) * stride + lane);
            });
      });
    });
  });
}

void TransformWeights(const Tiling& tiling, const Taps& taps, bool flip, const float* weights,
                      float* out, int64_t stride) {
  with_fixed(tiling, [&](auto fixed) HWY_ATTR {
    using T = decltype(fixed);
    for_block(taps.block, [&](auto d, int lane) HWY_ATTR {
      using D = decltype(d);
      in_two_dimensions<T::kTapRows, T::kTapColumns, T::kRawRows, T::kRawColumns>(
          d,
          [&](const V<D>* x, V<D>* to) HWY_ATTR {
            evaluate<typename T::Rows, T::kTapRows>(d, x, to);
            divide<typename T::Rows>(d, to);
          },
          [&](const V<D>* x, V<D>* to) HWY_ATTR {
            evaluate<typename T::Columns, T::kTapColumns>(d, x, to);
            divide<typename T::Columns>(d, to);
          },
          [&](int row, int column) HWY_ATTR {
            const int tap = row * T::kTapColumns + column;
            const int place = flip ? T::kTapRows * T::kTapColumns - 1 - tap : tap;
            return hn::LoadU(d, weights + place * taps.stride + lane);
          },
          [&](int row, int column, V<D> value) HWY_ATTR {
            hn::StoreU(value, d, out + (row * T::kRawColumns + column) * stride + lane);
          });
    });
  });
}

void TransformWeightGradient(const Tiling& tiling, const Taps& taps, const float* in,
                             int64_t stride, float* weights) {
  with_fixed(tiling, [&](auto fixed) HWY_ATTR {
    using T = decltype(fixed);
    for_block(taps.block, [&](auto d, int lane) HWY_ATTR {
      using D = decltype(d);
      in_two_dimensions<T::kRawRows, T::kRawColumns, T::kTapRows, T::kTapColumns>(
          d,
          [&](V<D>* x, V<D>* to) HWY_ATTR {
            divide<typename T::Rows>(d, x);
            interpolate<typename T::Rows, T::kTapRows>(d, x, to);
          },
          [&](V<D>* x, V<D>* to) HWY_ATTR {
            divide<typename T::Columns>(d, x);
            interpolate<typename T::Columns, T::kTapColumns>(d, x, to);
          },
          [&](int row, int column) HWY_ATTR {
            return hn::LoadU(d, in + (row * T::kRawColumns + column) * stride + lane);
          },
          [&](int row, int column, V<D> value) HWY_ATTR {
            hn::StoreU(value, d, weights + (row * T::kTapColumns + column) * taps.stride + lane);
          });
    });
  });
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

void transform_input(const Tiling& tiling, const Patch& patch, const float* image, float* out,
                     int64_t stride) {
  HWY_DYNAMIC_DISPATCH(TransformInput)(tiling, patch, image, out, stride);
}
void transform_output(const Tiling& tiling, const Patch& patch, const float* in, int64_t stride,
                      const float* bias, Bounds bounds, float* image) {
  HWY_DYNAMIC_DISPATCH(TransformOutput)(tiling, patch, in, stride, bias, bounds, image);
}
void transform_gradient(const Tiling& tiling, const Patch& patch, const float* image, float* out,
                        int64_t stride) {
  HWY_DYNAMIC_DISPATCH(TransformGradient)(tiling, patch, image, out, stride);
}
void transform_weights(const Tiling& tiling, const Taps& taps, bool flip, const float* weights,
                       float* out, int64_t stride) {
  HWY_DYNAMIC_DISPATCH(TransformWeights)(tiling, taps, flip, weights, out, stride);
}
void transform_weight_gradient(const Tiling& tiling, const Taps& taps, const float* in,
                               int64_t stride, float* weights) {
  HWY_DYNAMIC_DISPATCH(TransformWeightGradient)(tiling, taps, in, stride, weights);
}

}  // namespace lockstep::native::winograd
#endif
