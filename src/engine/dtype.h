// dtype.h: the number formats that a replica computes in.
//
// Whatever the format, the values that the optimizer updates, the statistics of batch normalisation
// and the loss are f32.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace lockstep {

enum class Dtype {
  F32,
  Tf32,  // f32, but the factors of products have 10 bits of mantissa
  Fp16,
  Bf16,
};

inline constexpr std::string_view kDtypeNames[] = {"f32", "tf32", "fp16", "bf16"};  // of --dtype

constexpr std::string_view name_of(Dtype dtype) { return kDtypeNames[static_cast<int>(dtype)]; }

// Of a name in the table.
constexpr Dtype dtype_named(std::string_view name) {
  return static_cast<Dtype>(std::ranges::find(kDtypeNames, name) - std::begin(kDtypeNames));
}

constexpr bool has_16_bits(Dtype dtype) { return dtype == Dtype::Fp16 || dtype == Dtype::Bf16; }

// Small gradients are zero in fp16. So the loss is multiplied by a factor, and gradients are
// divided by it once they are f32.
struct LossScale {
  double first = 1;
  // Halved, and the update left out, when a gradient of any replica is not finite; doubled after so
  // many steps without that. Parameters must live on the device.
  bool automatic = false;
  int steps_to_double = 1000;
};

}  // namespace lockstep
