#include "engine/native/max_pool_kernels.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/native/max_pool_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lockstep::native::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls with the block, and where the window is a common square its side, as compile-time numbers.
template <typename Function>
HWY_INLINE void with_sizes(const PoolPlane& plane, const Function& function) {
  const auto with_side = [&](auto d) HWY_ATTR {
    const bool square = plane.window_height == plane.window_width;
    if (square && plane.window_height == 2) return function(d, std::integral_constant<int, 2>());
    if (square && plane.window_height == 3) return function(d, std::integral_constant<int, 3>());
    function(d, std::integral_constant<int, 0>());
  };
  if (plane.block == 16) {
    with_side(hn::CappedTag<float, 16>());
  } else {
    with_side(hn::CappedTag<float, 8>());
  }
}

// The part of a window that lies inside the image, along one axis.
struct Inside {
  Inside(int64_t output, int stride, int before, int window, int64_t size)
      : start(output * stride - before),
        begin(static_cast<int>(std::max<int64_t>(0, -start))),
        end(static_cast<int>(std::min<int64_t>(window, size - start))) {}

  int64_t start;   // of the window, in the image; may be negative
  int begin, end;  // in the window
};

// Visits the elements of a window: visit(place in the window, offset in the plane).
template <int kSide, typename Visit>
HWY_INLINE void for_each_inside(const PoolPlane& plane, const Inside& rows, const Inside& columns,
                                const Visit& visit) {
  const int width = kSide > 0 ? kSide : plane.window_width;
  const auto offset = [&](int row, int column) {
    return ((rows.start + row) * plane.in_width + columns.start + column) * plane.block;
  };
  if (kSide > 0 && rows.end - rows.begin == kSide && columns.end - columns.begin == kSide) {
    for (int row = 0; row < kSide; ++row) {
      for (int column = 0; column < kSide; ++column) {
        visit(row * kSide + column, offset(row, column));
      }
    }
    return;
  }
  for (int row = rows.begin; row < rows.end; ++row) {
    for (int column = columns.begin; column < columns.end; ++column) {
      visit(row * width + column, offset(row, column));
    }
  }
}

Inside rows_of(const PoolPlane& plane, int64_t y) {
  return {y, plane.stride, plane.top, plane.window_height, plane.in_height};
}
Inside columns_of(const PoolPlane& plane, int64_t x) {
  return {x, plane.stride, plane.left, plane.window_width, plane.in_width};
}

void MaxPool(const PoolPlane& plane, const float* x, float* y, uint8_t* places) {
  with_sizes(plane, [&](auto d, auto side) HWY_ATTR {
    using D = decltype(d);
    const hn::Rebind<int32_t, D> di;
    const hn::Rebind<uint8_t, D> db;
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int64_t oy = 0, out = 0; oy < plane.out_height; ++oy) {
      const Inside rows = rows_of(plane, oy);
      for (int64_t ox = 0; ox < plane.out_width; ++ox, out += plane.block) {
        const Inside columns = columns_of(plane, ox);
        for (int lane = 0; lane < plane.block; lane += lanes) {
          auto best = hn::Set(d, -std::numeric_limits<float>::infinity());
          auto place = hn::Set(di, rows.begin * plane.window_width + columns.begin);
          for_each_inside<side>(plane, rows, columns, [&](int number, int64_t offset) HWY_ATTR {
            const auto value = hn::LoadU(d, x + offset + lane);
            const auto wins = hn::Or(hn::Gt(value, best), hn::IsNaN(value));
            best = hn::IfThenElse(wins, value, best);
            place = hn::IfThenElse(hn::RebindMask(di, wins), hn::Set(di, number), place);
          });
          hn::StoreU(best, d, y + out + lane);
          if (places) hn::StoreU(hn::DemoteTo(db, place), db, places + out + lane);
        }
      }
    }
  });
}

void MaxPoolGradient(const PoolPlane& plane, const float* g, const uint8_t* places, float* dx) {
  with_sizes(plane, [&](auto d, auto side) HWY_ATTR {
    using D = decltype(d);
    const hn::Rebind<int32_t, D> di;
    const hn::Rebind<uint8_t, D> db;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const int64_t row_floats = plane.in_width * plane.block;
    int64_t zeroed = 0;  // rows: just ahead, so that they are still in the cache
    for (int64_t oy = 0, out = 0; oy < plane.out_height; ++oy) {
      const Inside rows = rows_of(plane, oy);
      const int64_t needed = std::max(zeroed, rows.start + rows.end);
      std::fill(dx + zeroed * row_floats, dx + needed * row_floats, 0.0f);
      zeroed = needed;
      for (int64_t ox = 0; ox < plane.out_width; ++ox, out += plane.block) {
        const Inside columns = columns_of(plane, ox);
        for (int lane = 0; lane < plane.block; lane += lanes) {
          const auto gradient = hn::LoadU(d, g + out + lane);
          const auto place = hn::PromoteTo(di, hn::LoadU(db, places + out + lane));
          for_each_inside<side>(plane, rows, columns, [&](int number, int64_t offset) HWY_ATTR {
            const auto here = hn::RebindMask(d, hn::Eq(place, hn::Set(di, number)));
            float* to = dx + offset + lane;
            hn::StoreU(hn::Add(hn::LoadU(d, to), hn::IfThenElseZero(here, gradient)), d, to);
          });
        }
      }
    }
    std::fill(dx + zeroed * row_floats, dx + plane.in_floats(), 0.0f);
  });
}

}  // namespace lockstep::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::native {

HWY_EXPORT(MaxPool);
HWY_EXPORT(MaxPoolGradient);

void max_pool(const PoolPlane& plane, const float* x, float* y, uint8_t* places) {
  HWY_DYNAMIC_DISPATCH(MaxPool)(plane, x, y, places);
}
void max_pool_gradient(const PoolPlane& plane, const float* g, const uint8_t* places, float* dx) {
  HWY_DYNAMIC_DISPATCH(MaxPoolGradient)(plane, g, places, dx);
}

}  // namespace lockstep::native
#endif
