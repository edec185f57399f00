#include "data/formats/idx.h"

#include "base/error.h"
#include "base/text.h"
#include "data/formats/gzip.h"

namespace lockstep {
namespace {

constexpr uint8_t kUnsignedBytes = 8;
constexpr int64_t kMostBytes = int64_t{1} << 30;
constexpr int64_t kMostDimensions = 8;

uint32_t big_endian(ByteView bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

IdxArray plain_array_in(ByteView file) {
  if (file.size() < 4 || file[0] != 0 || file[1] != 0) throw Error("not an IDX file");
  if (file[2] != kUnsignedBytes) {
    throw Error("element type {:#x} is not supported; only bytes (0x8) are", file[2]);
  }
  const size_t dimensions = file[3];
  if (dimensions < 1 || dimensions > kMostDimensions)
    throw Error("{} dimensions are not supported", dimensions);
  if (file.size() < 4 + 4 * dimensions) throw Error("truncated header");
  IdxArray array;
  int64_t elements = 1;
  for (size_t i = 0; i < dimensions; ++i) {
    const int64_t extent = big_endian(file.subspan(4 + 4 * i));
    array.extents.push_back(extent);
    elements *= extent;
    if (elements > kMostBytes) throw Error("header gives more than {}", bytes_text(kMostBytes));
  }
  const ByteView rest = file.subspan(4 + 4 * dimensions);
  if (std::ssize(rest) != elements) {
    throw Error("header gives {} bytes of elements; the file has {}", elements, rest.size());
  }
  array.elements.assign(rest.begin(), rest.end());
  return array;
}

}  // namespace

IdxArray idx_array_in(ByteView file) {
  return is_gzip(file) ? plain_array_in(gunzip(file, kMostBytes)) : plain_array_in(file);
}

}  // namespace lockstep
