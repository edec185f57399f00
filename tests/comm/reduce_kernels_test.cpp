#include "comm/reduce_kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"

namespace lockstep {
namespace {

std::vector<float> random_floats(uint64_t stream, int64_t count) {
  std::vector<float> data(count);
  fill_truncated_normal(data, RandomStream(3, stream), 0, 1);
  return data;
}

TEST(Kernels, SumToAllAddsInTheOrderOfTheBuffers) {
  for (const int many : {2, 3, 4, 5, 8, 11}) {
    for (const int64_t count : {0, 1, 7, 8, 63, 1024, 3001}) {
      std::vector<std::vector<float>> buffers;
      for (int k = 0; k < many; ++k) buffers.push_back(random_floats(k, count));
      std::vector<float> expected = buffers[0];
      for (int k = 1; k < many; ++k) {
        for (int64_t i = 0; i < count; ++i) expected[i] += buffers[k][i];
      }
      std::vector<float*> pointers;
      for (auto& buffer : buffers) pointers.push_back(buffer.data());
      std::vector<float> sum(count);
      sum_of(pointers, sum);
      EXPECT_EQ(sum, expected);
      sum_to_all(pointers, count);
      for (const auto& buffer : buffers) EXPECT_EQ(buffer, expected);
    }
  }
}

TEST(Kernels, SumOfOneBufferIsThatBuffer) {
  std::vector<float> one = random_floats(1, 9), out(9);
  float* const pointer = one.data();
  sum_of({&pointer, 1}, out);
  EXPECT_EQ(out, one);
}

TEST(Kernels, AddIntoAdds) {
  std::vector<float> target = random_floats(1, 100), addend = random_floats(2, 100);
  const std::vector<float> before = target;
  add_into(target, addend);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(target[i], before[i] + addend[i]);
}

// The exact value of half-precision bits.
double value_of_fp16(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * INFINITY;
  return sign *
         (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
}

std::vector<uint16_t> all_sixteen_bits() {
  std::vector<uint16_t> all(65536);
  for (int i = 0; i < 65536; ++i) all[i] = static_cast<uint16_t>(i);
  return all;
}

TEST(Kernels, EveryFp16HasItsValueAndComesBack) {
  const std::vector<uint16_t> all = all_sixteen_bits();
  std::vector<float> values(all.size());
  std::vector<uint16_t> back(all.size());
  from_fp16(all, values);
  to_fp16(values, back);
  for (size_t i = 0; i < all.size(); ++i) {
    const double expected = value_of_fp16(all[i]);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(values[i])) << i;
      ASSERT_TRUE(std::isnan(value_of_fp16(back[i]))) << i;
    } else {
      ASSERT_EQ(values[i], expected) << i;
      ASSERT_EQ(back[i], all[i]) << i;
    }
  }
}

// Between two neighbours, the nearer; in the middle, the one with an even last bit.
TEST(Kernels, Fp16RoundsToTheNearestAndTiesToEven) {
  for (int bits = 0; bits < 0x7bff; ++bits) {
    const double low = value_of_fp16(static_cast<uint16_t>(bits));
    const double high = value_of_fp16(static_cast<uint16_t>(bits + 1));
    const float middle = static_cast<float>((low + high) / 2);
    const std::vector<float> from = {std::nextafter(middle, 0.0f), middle,
                                     std::nextafter(middle, INFINITY), -middle};
    std::vector<uint16_t> to(4);
    to_fp16(from, to);
    const int even = bits + (bits & 1);
    ASSERT_EQ(to[0], bits);
    ASSERT_EQ(to[1], even);
    ASSERT_EQ(to[2], bits + 1);
    ASSERT_EQ(to[3], even | 0x8000);
  }
}

TEST(Kernels, WhatIsTooLargeForFp16BecomesInfinite) {
  const std::vector<float> from = {65504, 65519, 65520, 1e30f, -1e30f, INFINITY};
  std::vector<uint16_t> to(6);
  to_fp16(from, to);
  EXPECT_EQ(to, (std::vector<uint16_t>{0x7bff, 0x7bff, 0x7c00, 0x7c00, 0xfc00, 0x7c00}));
}

TEST(Kernels, Bf16IsTheUpperHalfRoundedToEven) {
  const std::vector<uint32_t> bits = {0x3f800000, 0x3f808000, 0x3f808001, 0x3f818000, 0x3f817fff,
                                      0xff7fffff, 0x7f800000, 0x80000000, 0x7f800001};
  std::vector<float> from;
  for (const uint32_t b : bits) from.push_back(std::bit_cast<float>(b));
  std::vector<uint16_t> to(from.size());
  to_bf16(from, to);
  EXPECT_EQ(to, (std::vector<uint16_t>{0x3f80, 0x3f80, 0x3f81, 0x3f82, 0x3f81, 0xff80, 0x7f80,
                                       0x8000, 0x7fc0}));
  const std::vector<uint16_t> all = all_sixteen_bits();
  std::vector<float> values(all.size());
  from_bf16(all, values);
  for (size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(values[i]), uint32_t{all[i]} << 16);
  }
}

}  // namespace
}  // namespace lockstep
