#include "data/pixels/pixel_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "data/pixels/pixel_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lockstep::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;

// One row of the picture as floats: output row y's weighted sum of rows of bytes, in blocks so
// that the sum of many taps stays in registers.
void MixRows(const PixelView& image, const ResampleAxis& vertical, int y, float* out) {
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

// A row of grey: outputs side by side, their inputs gathered.
void ResizeGreyRow(const float* row, const ResampleAxis& axis, const ChannelScale& normal,
                   float* to) {
  const D d;
  const hn::Rebind<int32_t, D> di;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto scale = hn::Set(d, normal.scale[0]), offset = hn::Set(d, normal.offset[0]);
  int x = 0;
  for (; x + lanes <= axis.outputs; x += lanes) {
    const auto first = hn::LoadU(di, axis.begin.data() + x);
    auto sum = hn::Zero(d);
    for (int k = 0; k < axis.taps; ++k) {
      const auto weight = hn::LoadU(d, axis.weights.data() + int64_t{k} * axis.outputs + x);
      sum = hn::MulAdd(hn::GatherIndex(d, row + k, first), weight, sum);
    }
    hn::StoreU(hn::MulAdd(sum, scale, offset), d, to + x);
  }
  for (; x < axis.outputs; ++x) {
    float sum = 0;
    for (int k = 0; k < axis.taps; ++k) {
      sum += row[axis.begin[x] + k] * axis.weights[int64_t{k} * axis.outputs + x];
    }
    to[x] = sum * normal.scale[0] + normal.offset[0];
  }
}

// A row of colours: a pixel is one vector of four, whose last lane is the next pixel's red and
// means nothing. Written one after the other, each overwrites that lane of the one before, so
// `packed` is a row of three channels with one float to spare. (Where vectors are shorter, a pixel
// takes several.) kTaps 0: as many as there are.
template <int kTaps>
void ResizeColourRow(const float* row, const ResampleAxis& axis, const ChannelScale& normal,
                     float* packed) {
  const hn::CappedTag<float, 4> d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(hn::CappedTag<float, 4>()));
  const float scales[4] = {normal.scale[0], normal.scale[1], normal.scale[2], 0};
  const float offsets[4] = {normal.offset[0], normal.offset[1], normal.offset[2], 0};
  const int taps = kTaps > 0 ? kTaps : axis.taps;
  const int64_t outputs = axis.outputs;
  const int32_t* begin = axis.begin.data();
  const float* weights = axis.weights.data();
  for (int c = 0; c < 3; c += kLanes) {
    const auto scale = hn::LoadU(d, scales + c), offset = hn::LoadU(d, offsets + c);
    for (int64_t x = 0; x < outputs; ++x) {
      const float* from = row + 3 * begin[x] + c;
      auto sum = hn::Mul(hn::LoadU(d, from), hn::Set(d, weights[x]));
      for (int k = 1; k < taps; ++k) {
        sum = hn::MulAdd(hn::LoadU(d, from + 3 * k), hn::Set(d, weights[k * outputs + x]), sum);
      }
      hn::StoreU(hn::MulAdd(sum, scale, offset), d, packed + 3 * x + c);
    }
  }
}

// A row of three channels to where it belongs.
void PlaceColourRow(const float* packed, const FloatImage& out, int y) {
  if (out.interleaved) {
    std::copy_n(packed, 3 * out.width, out.data + int64_t{3} * y * out.width);
    return;
  }
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int64_t plane = int64_t{out.height} * out.width;
  float* to = out.data + int64_t{y} * out.width;
  int x = 0;
  for (; x + lanes <= out.width; x += lanes) {
    hn::Vec<D> r, g, b;
    hn::LoadInterleaved3(d, packed + 3 * x, r, g, b);
    hn::StoreU(r, d, to + x);
    hn::StoreU(g, d, to + plane + x);
    hn::StoreU(b, d, to + 2 * plane + x);
  }
  for (; x < out.width; ++x) {
    for (int c = 0; c < 3; ++c) to[c * plane + x] = packed[3 * x + c];
  }
}

// `row` and `packed`: room for a row of input and one of output, with a float to spare.
void Resize(const PixelView& image, const ResampleAxis& vertical, const ResampleAxis& horizontal,
            const ChannelScale& normal, const FloatImage& out, float* row, float* packed) {
  for (int y = 0; y < out.height; ++y) {
    MixRows(image, vertical, y, row);
    if (out.channels == 1) {
      ResizeGreyRow(row, horizontal, normal, out.data + int64_t{y} * out.width);
      continue;
    }
    if (horizontal.taps == 2) {
      ResizeColourRow<2>(row, horizontal, normal, packed);
    } else {
      ResizeColourRow<0>(row, horizontal, normal, packed);
    }
    PlaceColourRow(packed, out, y);
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
#include <cassert>

namespace lockstep {

HWY_EXPORT(Resize);
HWY_EXPORT(Recolour);
HWY_EXPORT(SumOf);

void resize_image(const PixelView& image, const ResampleAxis& vertical,
                  const ResampleAxis& horizontal, const ChannelScale& normal, const FloatImage& out,
                  std::vector<float>& rows) {
  assert(image.channels == out.channels && (out.channels == 1 || out.channels == 3));
  constexpr size_t kSpare = 4;  // floats
  const auto in = static_cast<size_t>(image.width) * static_cast<size_t>(image.channels) + kSpare;
  const auto packed = static_cast<size_t>(out.width) * static_cast<size_t>(out.channels) + kSpare;
  if (rows.size() < in + packed) rows.resize(in + packed);
  HWY_DYNAMIC_DISPATCH(Resize)
  (image, vertical, horizontal, normal, out, rows.data(), rows.data() + in);
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
