// bytes.h: byte views and buffers, and the numbers in them. Views do not own their bytes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep {

using ByteView = std::span<const uint8_t>;
using ByteBuffer = std::vector<uint8_t>;

inline ByteView bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
inline std::string_view text_of(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The first sizeof(T) bytes as a little-endian number; there must be as many.
template <typename T>
T little_endian(ByteView bytes) {
  T value = 0;
  for (size_t i = sizeof(T); i-- > 0;) value = static_cast<T>((uint64_t{value} << 8) | bytes[i]);
  return value;
}
template <>
inline float little_endian<float>(ByteView bytes) {
  return std::bit_cast<float>(little_endian<uint32_t>(bytes));
}

template <typename T>
std::array<uint8_t, sizeof(T)> as_little_endian(T value) {
  std::array<uint8_t, sizeof(T)> bytes{};
  for (size_t i = 0; i < sizeof(T); ++i)
    bytes[i] = static_cast<uint8_t>(uint64_t{value} >> (8 * i));
  return bytes;
}

}  // namespace lockstep
