#include "data/formats/crc32c.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace lockstep {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // Castagnoli's, lowest bit first
using Table = std::array<std::array<uint32_t, 256>, 8>;

// table[k][b]: what byte b does to the checksum when k more bytes follow it.
constexpr Table make_byte_table() {
  Table table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? kPolynomial : 0);
    table[0][byte] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = table[k - 1][byte];
      table[k][byte] = (before >> 8) ^ table[0][before & 0xff];
    }
  }
  return table;
}
constexpr Table kByteTable = make_byte_table();

// Of the inner state: the caller inverts it before and after.
uint32_t continue_by_tables(uint32_t crc, ByteView bytes) {
  while (bytes.size() >= 8) {
    const uint64_t word = little_endian<uint64_t>(bytes) ^ crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= kByteTable[7 - k][(word >> (8 * k)) & 0xff];
    bytes = bytes.subspan(8);
  }
  for (const uint8_t byte : bytes) crc = (crc >> 8) ^ kByteTable[0][(crc ^ byte) & 0xff];
  return crc;
}

#if defined(__x86_64__)

// The instruction takes one word per cycle but answers after three. So a long text is cut into
// three lanes that are summed side by side; lane results are joined by advancing one over as many
// zero bytes as the next lane is long. That is linear over GF(2): four table look-ups.
constexpr size_t kLane = 4096;
using ZerosTable = std::array<std::array<uint32_t, 256>, 4>;

constexpr uint32_t after_zeros(uint32_t crc, size_t zeros) {
  for (size_t i = 0; i < zeros; ++i) crc = (crc >> 8) ^ kByteTable[0][crc & 0xff];
  return crc;
}

// Only 32 states are advanced the long way; all others are sums of them.
constexpr ZerosTable make_zeros_table() {
  ZerosTable table{};
  for (size_t part = 0; part < 4; ++part) {
    for (size_t bit = 0; bit < 8; ++bit) {
      const uint32_t single = after_zeros(uint32_t{1} << (8 * part + bit), kLane);
      for (size_t byte = 0; byte < 256; ++byte) {
        if (byte >> bit & 1) table[part][byte] ^= single;
      }
    }
  }
  return table;
}

uint32_t advance_one_lane(uint32_t crc) {
  static const ZerosTable table = make_zeros_table();
  return table[0][crc & 0xff] ^ table[1][crc >> 8 & 0xff] ^ table[2][crc >> 16 & 0xff] ^
         table[3][crc >> 24];
}

uint64_t word_at(const uint8_t* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

__attribute__((target("sse4.2"))) uint32_t continue_by_instruction(uint32_t crc, ByteView bytes) {
  while (bytes.size() >= 3 * kLane) {
    uint64_t first = crc, second = 0, third = 0;
    const uint8_t* at = bytes.data();
    for (const uint8_t* end = at + kLane; at < end; at += 8) {
      first = _mm_crc32_u64(first, word_at(at));
      second = _mm_crc32_u64(second, word_at(at + kLane));
      third = _mm_crc32_u64(third, word_at(at + 2 * kLane));
    }
    crc = advance_one_lane(static_cast<uint32_t>(first)) ^ static_cast<uint32_t>(second);
    crc = advance_one_lane(crc) ^ static_cast<uint32_t>(third);
    bytes = bytes.subspan(3 * kLane);
  }
  uint64_t wide = crc;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    wide = _mm_crc32_u64(wide, word_at(bytes.data()));
  }
  crc = static_cast<uint32_t>(wide);
  for (const uint8_t byte : bytes) crc = _mm_crc32_u8(crc, byte);
  return crc;
}

bool has_instruction() { return __builtin_cpu_supports("sse4.2") != 0; }

#else

uint32_t continue_by_instruction(uint32_t crc, ByteView bytes) {
  return continue_by_tables(crc, bytes);
}
bool has_instruction() { return false; }

#endif

}  // namespace

uint32_t crc32c_by_tables(ByteView bytes) { return ~continue_by_tables(~0u, bytes); }

uint32_t crc32c(ByteView bytes) {
  return has_instruction() ? ~continue_by_instruction(~0u, bytes) : crc32c_by_tables(bytes);
}

}  // namespace lockstep
