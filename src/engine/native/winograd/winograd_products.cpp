// winograd_products.cpp: the two matrix products of Winograd's method, one group of rows and one
// panel of output channels at a time. Two vectors wide and six rows high: twelve sums, which stay
// in registers.
#include "engine/native/winograd/winograd_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/native/winograd/winograd_products.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lockstep::native::winograd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Tag>;

// A panel holds whole blocks of 16 channels also where vectors are short.
constexpr int kLanes = HWY_LANES(float) < 16 ? HWY_LANES(float) : 16;
constexpr int kWide = 2 * kLanes;
constexpr int kPanel = kWide < 16 ? 16 : kWide;

int PanelWidth() { return kPanel; }

template <int kRows>
struct Sums {
  Vector at[kRows][2];
};

// sums[row] += value(row) * {a, b}
template <int kRows, typename Value>
HWY_INLINE void add_products(Sums<kRows>& sums, Vector a, Vector b, const Value& value) {
  const Tag d;
  HWY_UNROLL(8)
  for (int row = 0; row < kRows; ++row) {
    const auto factor = hn::Set(d, value(row));
    sums.at[row][0] = hn::MulAdd(factor, a, sums.at[row][0]);
    sums.at[row][1] = hn::MulAdd(factor, b, sums.at[row][1]);
  }
}

template <int kRows>
HWY_INLINE void store(const Sums<kRows>& sums, float* out) {
  const Tag d;
  HWY_UNROLL(8)
  for (int row = 0; row < kRows; ++row) {
    hn::StoreU(sums.at[row][0], d, out + row * kPanel);
    hn::StoreU(sums.at[row][1], d, out + row * kPanel + kLanes);
  }
}

// One group of tiles, kWide output channels. Fetches `fetched` lines from `next` on the way.
template <int kBlock>
HWY_INLINE void multiply_group(const Product& p, const float* v, const float* u, const float* next,
                               int64_t fetched, float* out) {
  const Tag d;
  Sums<kTilesPerGroup> sums;
  HWY_UNROLL(8)
  for (auto& row : sums.at) row[0] = row[1] = hn::Zero(d);
  const int64_t fetching_blocks = (fetched + kBlock - 1) / kBlock;
  for (int64_t b = 0; b < p.blocks; ++b, v += kTilesPerGroup * kBlock) {
    if (b < fetching_blocks) {
      HWY_UNROLL(16)
      for (int c = 0; c < kBlock; ++c) __builtin_prefetch(next + (b * kBlock + c) * kPanel, 0, 2);
    }
    HWY_UNROLL(16)
    for (int c = 0; c < kBlock; ++c, u += kPanel) {
      add_products(sums, hn::LoadU(d, u), hn::LoadU(d, u + kLanes),
                   [&](int tile) HWY_ATTR { return v[tile * kBlock + c]; });
    }
  }
  store(sums, out);
}

template <int kBlock>
void multiply_all(const Product& p) {
  const int64_t depth = p.blocks * kBlock, fetched = (depth + p.groups - 1) / p.groups;
  for (int64_t g = 0; g < p.groups; ++g) {
    const int64_t begin = g * fetched, left = depth - begin;
    for (int lane = 0; lane < kPanel; lane += kWide) {
      const bool fetches = lane == 0 && left > 0;
      multiply_group<kBlock>(p, p.v + g * kTilesPerGroup * depth, p.u + lane,
                             p.next + begin * kPanel,
                             fetches ? (left < fetched ? left : fetched) : 0,
                             p.out + g * kTilesPerGroup * kPanel + lane);
    }
  }
}

void Multiply(const Product& p) {
  if (p.block == 8) {
    multiply_all<8>(p);
  } else {
    multiply_all<16>(p);
  }
}

// The sum over these tiles begins at zero and is then added: short sums lose less precision.
HWY_INLINE void accumulate_group(const Outer& o, const float* v, const float* m, float* out) {
  const Tag d;
  Sums<kRowsPerGroup> sums;
  HWY_UNROLL(8)
  for (auto& row : sums.at) row[0] = row[1] = hn::Zero(d);
  for (int64_t tile = 0; tile < o.tiles; ++tile, v += o.chunk, m += kPanel) {
    add_products(sums, hn::LoadU(d, m), hn::LoadU(d, m + kLanes),
                 [&](int row) HWY_ATTR { return v[row]; });
  }
  if (!o.first) {
    HWY_UNROLL(8)
    for (int row = 0; row < kRowsPerGroup; ++row) {
      sums.at[row][0] = hn::Add(sums.at[row][0], hn::LoadU(d, out + row * kPanel));
      sums.at[row][1] = hn::Add(sums.at[row][1], hn::LoadU(d, out + row * kPanel + kLanes));
    }
  }
  store(sums, out);
}

void Accumulate(const Outer& o) {
  for (int64_t row = 0; row < o.rows; row += kRowsPerGroup) {
    const float* v = o.v + row / o.chunk * o.chunk_stride + row % o.chunk;
    for (int lane = 0; lane < kPanel; lane += kWide) {
      accumulate_group(o, v, o.m + lane, o.out + row * kPanel + lane);
    }
  }
}

}  // namespace lockstep::native::winograd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::native::winograd {

HWY_EXPORT(PanelWidth);
HWY_EXPORT(Multiply);
HWY_EXPORT(Accumulate);

int panel() { return HWY_DYNAMIC_DISPATCH(PanelWidth)(); }
void multiply(const Product& product) { HWY_DYNAMIC_DISPATCH(Multiply)(product); }
void accumulate(const Outer& outer) { HWY_DYNAMIC_DISPATCH(Accumulate)(outer); }

}  // namespace lockstep::native::winograd
#endif
