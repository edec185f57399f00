// reduce_kernels.h: the arithmetic of communication, with the widest vectors that the processor
// has.
//
// Sums are taken element by element in the order that the caller gives, so the vector width never
// shows in the result.
#pragma once

#include <cstdint>
#include <span>

namespace lockstep {

void add_into(std::span<float> target, std::span<const float> addend);
// out = a + b; out may be one of them.
void add(float* out, const float* a, const float* b, int64_t count);

// Element i of every buffer becomes the sum of the element i of all, first buffer first. Each is
// read once and written once.
void sum_to_all(std::span<float* const> buffers, int64_t count);
// out = the same sum; the buffers stay as they are, but out may be the first of them.
void sum_of(std::span<float* const> buffers, std::span<float> out);

// Sixteen bits on the wire: IEEE half precision, or the upper half of a float. Both round to the
// nearest, ties to even; what is too large becomes infinite, and NaN stays NaN.
void to_fp16(std::span<const float> from, std::span<uint16_t> to);
void from_fp16(std::span<const uint16_t> from, std::span<float> to);
void to_bf16(std::span<const float> from, std::span<uint16_t> to);
void from_bf16(std::span<const uint16_t> from, std::span<float> to);

}  // namespace lockstep
