#include "engine/native/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/native/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lockstep::native::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A block has 8 or 16 channels, so vectors are capped at 8 floats where the block is 8.
template <int kBlock>
using BlockTag = hn::CappedTag<float, kBlock>;

// Calls with the block as a compile-time number.
template <typename Function>
HWY_INLINE void with_block(int block, const Function& function) {
  if (block == 16) {
    function(BlockTag<16>());
  } else {
    function(BlockTag<8>());
  }
}

template <typename D>
HWY_INLINE auto clamp(D d, hn::Vec<D> value, Bounds bounds) {
  // The value stands second: a NaN must stay one, and x86 returns the second operand.
  return hn::Min(hn::Set(d, bounds.high), hn::Max(hn::Set(d, bounds.low), value));
}

// `g` where `y` lies strictly inside the bounds, else 0.
template <typename D>
HWY_INLINE auto passed(D d, hn::Vec<D> y, Bounds bounds, hn::Vec<D> g) {
  const auto inside =
      hn::And(hn::Gt(y, hn::Set(d, bounds.low)), hn::Lt(y, hn::Set(d, bounds.high)));
  return hn::IfThenElseZero(inside, g);
}

// Four running sums hide the latency of the addition.
void RowMoments(Row row, const float* x, float* mean, float* squares) {
  with_block(row.block, [&](auto d) HWY_ATTR {
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int lane = 0; lane < row.block; lane += lanes) {
      auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
      const float* p = x + lane;
      const int64_t step = row.block;
      int64_t i = 0;
      for (; i + 4 <= row.pixels; i += 4, p += 4 * step) {
        s0 = hn::Add(s0, hn::LoadU(d, p));
        s1 = hn::Add(s1, hn::LoadU(d, p + step));
        s2 = hn::Add(s2, hn::LoadU(d, p + 2 * step));
        s3 = hn::Add(s3, hn::LoadU(d, p + 3 * step));
      }
      for (; i < row.pixels; ++i, p += step) s0 = hn::Add(s0, hn::LoadU(d, p));
      const auto inverse = hn::Set(d, 1.0f / static_cast<float>(row.pixels));
      const auto m = hn::Mul(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), inverse);
      hn::StoreU(m, d, mean + lane);

      s0 = s1 = s2 = s3 = hn::Zero(d);
      p = x + lane;
      for (i = 0; i + 4 <= row.pixels; i += 4, p += 4 * step) {
        const auto d0 = hn::Sub(hn::LoadU(d, p), m), d1 = hn::Sub(hn::LoadU(d, p + step), m);
        const auto d2 = hn::Sub(hn::LoadU(d, p + 2 * step), m);
        const auto d3 = hn::Sub(hn::LoadU(d, p + 3 * step), m);
        s0 = hn::MulAdd(d0, d0, s0);
        s1 = hn::MulAdd(d1, d1, s1);
        s2 = hn::MulAdd(d2, d2, s2);
        s3 = hn::MulAdd(d3, d3, s3);
      }
      for (; i < row.pixels; ++i, p += step) {
        const auto d0 = hn::Sub(hn::LoadU(d, p), m);
        s0 = hn::MulAdd(d0, d0, s0);
      }
      hn::StoreU(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), d, squares + lane);
    }
  });
}

void RowNormalise(Row row, const float* x, const float* scale, const float* shift,
                  const float* residual, Bounds bounds, float* y) {
  with_block(row.block, [&](auto d) HWY_ATTR {
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int lane = 0; lane < row.block; lane += lanes) {
      const auto a = hn::LoadU(d, scale + lane), b = hn::LoadU(d, shift + lane);
      for (int64_t i = lane; i < row.floats(); i += row.block) {
        auto value = hn::MulAdd(hn::LoadU(d, x + i), a, b);
        if (residual != nullptr) value = hn::Add(value, hn::LoadU(d, residual + i));
        hn::StoreU(clamp(d, value, bounds), d, y + i);
      }
    }
  });
}

void RowGradientSums(Row row, const float* g, const float* x, const float* mean,
                     const Clamp* clamped, float* sum_g, float* sum_gx) {
  with_block(row.block, [&](auto d) HWY_ATTR {
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int lane = 0; lane < row.block; lane += lanes) {
      const auto m = hn::LoadU(d, mean + lane);
      auto s0 = hn::Zero(d), s1 = s0, t0 = s0, t1 = s0;
      const auto scale = clamped ? hn::LoadU(d, clamped->scale + lane) : m;
      const auto shift = clamped ? hn::LoadU(d, clamped->shift + lane) : m;
      const auto gradient = [&](int64_t i, hn::Vec<decltype(d)> value) HWY_ATTR {
        const auto v = hn::LoadU(d, g + i);
        return clamped ? passed(d, hn::MulAdd(value, scale, shift), clamped->bounds, v) : v;
      };
      int64_t i = lane;
      const int64_t end = row.floats();
      for (; i + row.block < end; i += 2 * row.block) {
        const auto x0 = hn::LoadU(d, x + i), x1 = hn::LoadU(d, x + i + row.block);
        const auto g0 = gradient(i, x0), g1 = gradient(i + row.block, x1);
        s0 = hn::Add(s0, g0);
        s1 = hn::Add(s1, g1);
        t0 = hn::MulAdd(g0, hn::Sub(x0, m), t0);
        t1 = hn::MulAdd(g1, hn::Sub(x1, m), t1);
      }
      for (; i < end; i += row.block) {
        const auto x0 = hn::LoadU(d, x + i);
        const auto g0 = gradient(i, x0);
        s0 = hn::Add(s0, g0);
        t0 = hn::MulAdd(g0, hn::Sub(x0, m), t0);
      }
      hn::StoreU(hn::Add(s0, s1), d, sum_g + lane);
      hn::StoreU(hn::Add(t0, t1), d, sum_gx + lane);
    }
  });
}

void RowGradientApply(Row row, const float* g, const float* x, const float* a, const float* b,
                      const float* c, const Clamp* clamped, float* dx) {
  with_block(row.block, [&](auto d) HWY_ATTR {
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int lane = 0; lane < row.block; lane += lanes) {
      const auto va = hn::LoadU(d, a + lane), vb = hn::LoadU(d, b + lane);
      const auto vc = hn::LoadU(d, c + lane);
      const auto scale = clamped ? hn::LoadU(d, clamped->scale + lane) : va;
      const auto shift = clamped ? hn::LoadU(d, clamped->shift + lane) : va;
      for (int64_t i = lane; i < row.floats(); i += row.block) {
        const auto value = hn::LoadU(d, x + i);
        auto gradient = hn::LoadU(d, g + i);
        if (clamped) {
          gradient = passed(d, hn::MulAdd(value, scale, shift), clamped->bounds, gradient);
        }
        hn::StoreU(hn::MulAdd(va, gradient, hn::MulAdd(vb, value, vc)), d, dx + i);
      }
    }
  });
}

// Vectors, then the rest one by one.
template <typename Function>
HWY_INLINE void for_each_vector(int64_t floats, const Function& function) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= floats; i += lanes) function(d, i);
  for (; i < floats; ++i) function(one, i);
}

void SumGradients(int64_t floats, const float* a, const float* b, const float* y, Bounds bounds,
                  float* out) {
  for_each_vector(floats, [&](auto d, int64_t i) HWY_ATTR {
    auto sum = hn::LoadU(d, a + i);
    if (b != nullptr) sum = hn::Add(sum, hn::LoadU(d, b + i));
    if (y != nullptr) sum = passed(d, hn::LoadU(d, y + i), bounds, sum);
    hn::StoreU(sum, d, out + i);
  });
}

void AddClamped(int64_t floats, const float* a, const float* b, Bounds bounds, float* y) {
  for_each_vector(floats, [&](auto d, int64_t i) HWY_ATTR {
    auto value = hn::LoadU(d, a + i);
    if (b != nullptr) value = hn::Add(value, hn::LoadU(d, b + i));
    hn::StoreU(clamp(d, value, bounds), d, y + i);
  });
}

void RowMean(Row row, const float* x, float* mean) {
  with_block(row.block, [&](auto d) HWY_ATTR {
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int lane = 0; lane < row.block; lane += lanes) {
      auto sum = hn::Zero(d);
      for (int64_t i = lane; i < row.floats(); i += row.block) {
        sum = hn::Add(sum, hn::LoadU(d, x + i));
      }
      const auto inverse = hn::Set(d, 1.0f / static_cast<float>(row.pixels));
      hn::StoreU(hn::Mul(sum, inverse), d, mean + lane);
    }
  });
}

void RowSpread(Row row, const float* g, float factor, float* dx) {
  with_block(row.block, [&](auto d) HWY_ATTR {
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int lane = 0; lane < row.block; lane += lanes) {
      const auto value = hn::Mul(hn::LoadU(d, g + lane), hn::Set(d, factor));
      for (int64_t i = lane; i < row.floats(); i += row.block) hn::StoreU(value, d, dx + i);
    }
  });
}

}  // namespace lockstep::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::native {

HWY_EXPORT(RowMoments);
HWY_EXPORT(RowNormalise);
HWY_EXPORT(RowGradientSums);
HWY_EXPORT(RowGradientApply);
HWY_EXPORT(SumGradients);
HWY_EXPORT(AddClamped);
HWY_EXPORT(RowMean);
HWY_EXPORT(RowSpread);

void row_moments(Row row, const float* x, float* mean, float* squares) {
  HWY_DYNAMIC_DISPATCH(RowMoments)(row, x, mean, squares);
}
void row_normalise(Row row, const float* x, const float* scale, const float* shift,
                   const float* residual, Bounds bounds, float* y) {
  HWY_DYNAMIC_DISPATCH(RowNormalise)(row, x, scale, shift, residual, bounds, y);
}
void row_gradient_sums(Row row, const float* g, const float* x, const float* mean,
                       const Clamp* clamp, float* sum_g, float* sum_gx) {
  HWY_DYNAMIC_DISPATCH(RowGradientSums)(row, g, x, mean, clamp, sum_g, sum_gx);
}
void row_gradient_apply(Row row, const float* g, const float* x, const float* a, const float* b,
                        const float* c, const Clamp* clamp, float* dx) {
  HWY_DYNAMIC_DISPATCH(RowGradientApply)(row, g, x, a, b, c, clamp, dx);
}
void sum_gradients(int64_t floats, const float* a, const float* b, const float* passed,
                   Bounds bounds, float* out) {
  HWY_DYNAMIC_DISPATCH(SumGradients)(floats, a, b, passed, bounds, out);
}
void add_clamped(int64_t floats, const float* a, const float* b, Bounds bounds, float* y) {
  HWY_DYNAMIC_DISPATCH(AddClamped)(floats, a, b, bounds, y);
}
void row_mean(Row row, const float* x, float* mean) { HWY_DYNAMIC_DISPATCH(RowMean)(row, x, mean); }
void row_spread(Row row, const float* g, float factor, float* dx) {
  HWY_DYNAMIC_DISPATCH(RowSpread)(row, g, factor, dx);
}

}  // namespace lockstep::native
#endif
