#include "comm/reduce_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "comm/reduce_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lockstep::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kBlock = 1024;  // floats: one page of each buffer at a time stays in the L1 cache

// Calls function(d, i) for whole vectors, then for single elements.
template <typename Function>
HWY_INLINE void for_each_vector(int64_t count, const Function& function) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    function(d, i);
    function(d, i + lanes);
  }
  for (; i + lanes <= count; i += lanes) function(d, i);
  for (; i < count; ++i) function(hn::CappedTag<float, 1>(), i);
}

void Add(float* out, const float* a, const float* b, int64_t count) {
  for_each_vector(count, [&](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
  });
}

void Copy(float* to, const float* from, int64_t count) {
  for_each_vector(
      count, [&](auto d, int64_t i) HWY_ATTR { hn::StoreU(hn::LoadU(d, from + i), d, to + i); });
}

// At least two buffers.
void SumOf(float* const* buffers, int64_t many, float* out, int64_t count) {
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t block = HWY_MIN(kBlock, count - begin);
    Add(out + begin, buffers[0] + begin, buffers[1] + begin, block);
    for (int64_t k = 2; k < many; ++k) {
      Add(out + begin, out + begin, buffers[k] + begin, block);
    }
  }
}

// As fast as summing two or four buffers in registers: memory sets the pace.
void SumToAll(float* const* buffers, int64_t many, int64_t count) {
  HWY_ALIGN float sum[kBlock];
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t block = HWY_MIN(kBlock, count - begin);
    Add(sum, buffers[0] + begin, buffers[1] + begin, block);
    for (int64_t k = 2; k < many; ++k) Add(sum, sum, buffers[k] + begin, block);
    for (int64_t k = 0; k < many; ++k) Copy(buffers[k] + begin, sum, block);
  }
}

// Sixteen-bit forms, by integer arithmetic on vectors of 32 bits: the same on every processor.
template <typename DI>
HWY_INLINE hn::Vec<DI> Bf16Bits(DI d, hn::Vec<DI> bits) {
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1));
  const auto rounded = hn::Add(bits, hn::Add(hn::Set(d, 0x7fff), odd));
  const auto is_nan = hn::Gt(hn::And(bits, hn::Set(d, 0x7fffffff)), hn::Set(d, 0x7f800000));
  const auto quiet = hn::Or(bits, hn::Set(d, 0x400000));
  return hn::And(hn::ShiftRight<16>(hn::IfThenElse(is_nan, quiet, rounded)), hn::Set(d, 0xffff));
}

// Normal halves: move the exponent down by 112 and round the mantissa to 10 bits. Small ones: an
// addition of 0.5 shifts the mantissa to where a half's subnormal bits stand, rounded by the adder.
template <typename DI>
HWY_INLINE hn::Vec<DI> Fp16Bits(DI d, hn::Vec<DI> bits) {
  const hn::RebindToFloat<DI> df;
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 0x8000));
  const auto magnitude = hn::And(bits, hn::Set(d, 0x7fffffff));
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d, 1));
  const auto rebiased = hn::Sub(magnitude, hn::Set(d, 112 << 23));
  const auto normal = hn::ShiftRight<13>(hn::Add(rebiased, hn::Add(hn::Set(d, 0xfff), odd)));
  const auto half = hn::Set(df, 0.5f);
  const auto small =
      hn::Sub(hn::BitCast(d, hn::Add(hn::BitCast(df, magnitude), half)), hn::BitCast(d, half));
  const auto is_small = hn::Lt(magnitude, hn::Set(d, 113 << 23));
  const auto finite = hn::IfThenElse(is_small, small, normal);
  const auto is_large = hn::Gt(magnitude, hn::Set(d, 0x477fefff));
  const auto is_nan = hn::Gt(magnitude, hn::Set(d, 0x7f800000));
  const auto special = hn::IfThenElse(is_nan, hn::Set(d, 0x7e00), hn::Set(d, 0x7c00));
  return hn::Or(sign, hn::IfThenElse(is_large, special, finite));
}

template <typename DI>
HWY_INLINE hn::Vec<DI> FloatBitsOfFp16(DI d, hn::Vec<DI> half) {
  const hn::RebindToFloat<DI> df;
  const auto sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(d, 0x8000)));
  const auto magnitude = hn::And(half, hn::Set(d, 0x7fff));
  const auto shifted = hn::ShiftLeft<13>(magnitude);
  const auto normal = hn::Add(shifted, hn::Set(d, 112 << 23));
  const auto special = hn::Or(shifted, hn::Set(d, 0x7f800000));
  // A subnormal counts units of 2^-24.
  const auto small = hn::BitCast(d, hn::Mul(hn::ConvertTo(df, magnitude), hn::Set(df, 0x1.0p-24f)));
  const auto is_special = hn::Gt(magnitude, hn::Set(d, 0x7bff));
  const auto is_small = hn::Lt(magnitude, hn::Set(d, 0x400));
  return hn::Or(sign, hn::IfThenElse(is_small, small, hn::IfThenElse(is_special, special, normal)));
}

template <typename Convert>
HWY_INLINE void Narrow(const float* from, uint16_t* to, int64_t count, const Convert& convert) {
  for_each_vector(count, [&](auto df, int64_t i) HWY_ATTR {
    const hn::RebindToSigned<decltype(df)> d;
    const hn::Rebind<uint16_t, decltype(df)> d16;
    const auto bits = convert(d, hn::BitCast(d, hn::LoadU(df, from + i)));
    hn::StoreU(hn::DemoteTo(d16, bits), d16, to + i);
  });
}

template <typename Convert>
HWY_INLINE void Widen(const uint16_t* from, float* to, int64_t count, const Convert& convert) {
  for_each_vector(count, [&](auto df, int64_t i) HWY_ATTR {
    const hn::RebindToSigned<decltype(df)> d;
    const hn::Rebind<uint16_t, decltype(df)> d16;
    const auto bits = hn::PromoteTo(d, hn::LoadU(d16, from + i));
    hn::StoreU(hn::BitCast(df, convert(d, bits)), df, to + i);
  });
}

void ToFp16(const float* from, uint16_t* to, int64_t count) {
  Narrow(from, to, count, [](auto d, auto bits) HWY_ATTR { return Fp16Bits(d, bits); });
}
void ToBf16(const float* from, uint16_t* to, int64_t count) {
  Narrow(from, to, count, [](auto d, auto bits) HWY_ATTR { return Bf16Bits(d, bits); });
}
void FromFp16(const uint16_t* from, float* to, int64_t count) {
  Widen(from, to, count, [](auto d, auto half) HWY_ATTR { return FloatBitsOfFp16(d, half); });
}
void FromBf16(const uint16_t* from, float* to, int64_t count) {
  Widen(from, to, count, [](auto, auto half) HWY_ATTR { return hn::ShiftLeft<16>(half); });
}

}  // namespace lockstep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <cassert>

namespace lockstep {

HWY_EXPORT(Add);
HWY_EXPORT(SumOf);
HWY_EXPORT(SumToAll);
HWY_EXPORT(ToFp16);
HWY_EXPORT(ToBf16);
HWY_EXPORT(FromFp16);
HWY_EXPORT(FromBf16);

void add(float* out, const float* a, const float* b, int64_t count) {
  HWY_DYNAMIC_DISPATCH(Add)(out, a, b, count);
}

void add_into(std::span<float> target, std::span<const float> addend) {
  assert(target.size() == addend.size());
  add(target.data(), target.data(), addend.data(), std::ssize(target));
}

void sum_of(std::span<float* const> buffers, std::span<float> out) {
  if (buffers.size() == 1) {
    std::copy_n(buffers[0], out.size(), out.data());
  } else {
    HWY_DYNAMIC_DISPATCH(SumOf)(buffers.data(), std::ssize(buffers), out.data(), std::ssize(out));
  }
}

void sum_to_all(std::span<float* const> buffers, int64_t count) {
  if (buffers.size() < 2) return;
  HWY_DYNAMIC_DISPATCH(SumToAll)(buffers.data(), std::ssize(buffers), count);
}

void to_fp16(std::span<const float> from, std::span<uint16_t> to) {
  HWY_DYNAMIC_DISPATCH(ToFp16)(from.data(), to.data(), std::ssize(from));
}
void from_fp16(std::span<const uint16_t> from, std::span<float> to) {
  HWY_DYNAMIC_DISPATCH(FromFp16)(from.data(), to.data(), std::ssize(from));
}
void to_bf16(std::span<const float> from, std::span<uint16_t> to) {
  HWY_DYNAMIC_DISPATCH(ToBf16)(from.data(), to.data(), std::ssize(from));
}
void from_bf16(std::span<const uint16_t> from, std::span<float> to) {
  HWY_DYNAMIC_DISPATCH(FromBf16)(from.data(), to.data(), std::ssize(from));
}

}  // namespace lockstep
#endif  // HWY_ONCE
