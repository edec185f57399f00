#include "data/pixel_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "data/pixel_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lockstep::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;

// One row of the picture as floats: output row y's weighted sum of rows of bytes, in blocks so
// that the sum of many taps stays in registers.
void MixRows(const PixelView& image, const Axis& vertical, int y, float* out) {
  const D d;
  const hn::Rebind<uint8_t, D> d8;
  const hn::Rebind<int32_t, D> d32;
  const int64_t count = int64_t{image.width} * image.channels;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const uint8_t* first = image.row(vertical.begin[y]);
  const float* weights = vertical.weights.data() + y;
  const int64_t stride = image.row_bytes, next_weight = vertical.outputs;
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    auto sum = hn::Zero(d);
    for (int k = 0; k < vertical.taps; ++k) {
      const auto bytes = hn::LoadU(d8, first + k * stride + i);
      const auto floats = hn::ConvertTo(d, hn::PromoteTo(d32, bytes));
      sum = hn::MulAdd(floats, hn::Set(d, weights[k * next_weight]), sum);
    }
    hn::StoreU(sum, d, out + i);
  }
  for (; i < count; ++i) {
    float sum = 0;
    for (int k = 0; k < vertical.taps; ++k) {
      sum += weights[k * next_weight] * static_cast<float>(first[k * stride + i]);
    }
    out[i] = sum;
  }
}

// Outputs x, x + 1, ... of a row, all channels.
template <int kChannels>
HWY_INLINE void SumTaps(const float* row, const Axis& axis, int x, const ChannelScale& normal,
                        hn::Vec<D>* sums) {
  const D d;
  const hn::Rebind<int32_t, D> di;
  const auto first = hn::Mul(hn::LoadU(di, axis.begin.data() + x), hn::Set(di, kChannels));
  for (int c = 0; c < kChannels; ++c) sums[c] = hn::Zero(d);
  for (int k = 0; k < axis.taps; ++k) {
    const auto weight = hn::LoadU(d, axis.weights.data() + int64_t{k} * axis.outputs + x);
    for (int c = 0; c < kChannels; ++c) {
      const auto values = hn::GatherIndex(d, row + k * kChannels + c, first);
      sums[c] = hn::MulAdd(values, weight, sums[c]);
    }
  }
  for (int c = 0; c < kChannels; ++c) {
    sums[c] = hn::MulAdd(sums[c], hn::Set(d, normal.scale[c]), hn::Set(d, normal.offset[c]));
  }
}

template <int kChannels>
float SumTapsOfOne(const float* row, const Axis& axis, int x, int c, const ChannelScale& normal) {
  float sum = 0;
  for (int k = 0; k < axis.taps; ++k) {
    sum += row[(axis.begin[x] + k) * kChannels + c] * axis.weights[int64_t{k} * axis.outputs + x];
  }
  return sum * normal.scale[c] + normal.offset[c];
}

template <int kChannels>
void ResizeRow(const float* row, const Axis& axis, const ChannelScale& normal,
               const FloatImage& out, int y) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const bool pixels = out.interleaved && kChannels == 3;
  const int64_t plane = int64_t{out.height} * out.width;
  float* to = out.data + int64_t{y} * out.width * (pixels ? 3 : 1);
  int x = 0;
  for (; x + lanes <= axis.outputs; x += lanes) {
    hn::Vec<D> sums[3] = {};
    SumTaps<kChannels>(row, axis, x, normal, sums);
    if (pixels) {
      hn::StoreInterleaved3(sums[0], sums[1], sums[2], d, to + 3 * x);
    } else {
      for (int c = 0; c < kChannels; ++c) hn::StoreU(sums[c], d, to + c * plane + x);
    }
  }
  for (; x < axis.outputs; ++x) {
    for (int c = 0; c < kChannels; ++c) {
      to[pixels ? 3 * x + c : c * plane + x] = SumTapsOfOne<kChannels>(row, axis, x, c, normal);
    }
  }
}

void Resize(const PixelView& image, const Axis& vertical, const Axis& horizontal,
            const ChannelScale& normal, const FloatImage& out, float* row) {
  for (int y = 0; y < out.height; ++y) {
    MixRows(image, vertical, y, row);
    if (out.channels == 1) ResizeRow<1>(row, horizontal, normal, out, y);
    if (out.channels == 3) ResizeRow<3>(row, horizontal, normal, out, y);
  }
}

template <typename DD>
HWY_INLINE hn::Vec<DD> Recoloured(DD d, const float* planes, int64_t pixels,
                                  const std::array<float, 4>& factors, float scale, float offset) {
  auto sum = hn::Set(d, factors[3]);
  for (int from = 0; from < 3; ++from) {
    sum = hn::MulAdd(hn::LoadU(d, planes + from * pixels), hn::Set(d, factors[from]), sum);
  }
  sum = hn::Min(hn::Max(sum, hn::Zero(d)), hn::Set(d, 1.0f));
  return hn::MulAdd(sum, hn::Set(d, scale), hn::Set(d, offset));
}

void Recolour(const float* planes, int64_t pixels, const ColourMatrix& matrix,
              const ChannelScale& normal, const FloatImage& out) {
  const D d;
  const hn::CappedTag<float, 1> one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= pixels; i += lanes) {
    hn::Vec<D> rgb[3] = {};
    for (int c = 0; c < 3; ++c) {
      rgb[c] = Recoloured(d, planes + i, pixels, matrix[c], normal.scale[c], normal.offset[c]);
    }
    if (out.interleaved) {
      hn::StoreInterleaved3(rgb[0], rgb[1], rgb[2], d, out.data + 3 * i);
    } else {
      for (int c = 0; c < 3; ++c) hn::StoreU(rgb[c], d, out.data + c * pixels + i);
    }
  }
  for (; i < pixels; ++i) {
    for (int c = 0; c < 3; ++c) {
      const auto value =
          Recoloured(one, planes + i, pixels, matrix[c], normal.scale[c], normal.offset[c]);
      hn::StoreU(value, one, out.data + (out.interleaved ? 3 * i + c : c * pixels + i));
    }
  }
}

double SumOf(const float* values, int64_t count) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  double sum = 0;
  int64_t i = 0;
  while (i + lanes <= count) {
    auto part = hn::Zero(d);  // a short sum keeps its digits
    for (int step = 0; step < 64 && i + lanes <= count; ++step, i += lanes) {
      part = hn::Add(part, hn::LoadU(d, values + i));
    }
    sum += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, part)));
  }
  for (; i < count; ++i) sum += static_cast<double>(values[i]);
  return sum;
}

}  // namespace lockstep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <cassert>

namespace lockstep {

HWY_EXPORT(Resize);
HWY_EXPORT(Recolour);
HWY_EXPORT(SumOf);

void resize_image(const PixelView& image, const Axis& vertical, const Axis& horizontal,
                  const ChannelScale& normal, const FloatImage& out, std::vector<float>& row) {
  assert(image.channels == out.channels && (out.channels == 1 || out.channels == 3));
  const auto needed = static_cast<size_t>(image.width) * static_cast<size_t>(image.channels);
  if (row.size() < needed) row.resize(needed);
  HWY_DYNAMIC_DISPATCH(Resize)(image, vertical, horizontal, normal, out, row.data());
}

void recolour(std::span<const float> planes, const ColourMatrix& matrix, const ChannelScale& normal,
              const FloatImage& out) {
  HWY_DYNAMIC_DISPATCH(Recolour)
  (planes.data(), std::ssize(planes) / 3, matrix, normal, out);
}

std::array<double, 3> plane_means(std::span<const float> planes) {
  const int64_t pixels = std::ssize(planes) / 3;
  std::array<double, 3> means{};
  for (size_t c = 0; c < 3; ++c) {
    means[c] =
        HWY_DYNAMIC_DISPATCH(SumOf)(planes.data() + static_cast<int64_t>(c) * pixels, pixels) /
        static_cast<double>(pixels);
  }
  return means;
}

}  // namespace lockstep
#endif  // HWY_ONCE
