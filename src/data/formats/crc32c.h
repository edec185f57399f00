// crc32c.h: the checksum of TFRecord files: CRC-32 with Castagnoli's polynomial (RFC 3720, appendix
// B.4), by the processor's own instruction where it has one.
#pragma once

#include "data/formats/bytes.h"

namespace lockstep {

uint32_t crc32c(ByteView bytes);
// The same with tables only: for processors without the instruction, and for tests.
uint32_t crc32c_by_tables(ByteView bytes);

// TFRecords store checksums rotated and shifted, so that a checksum of data that holds checksums
// is no degenerate case.
inline uint32_t masked_crc32c(ByteView bytes) {
  const uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

}  // namespace lockstep
