#include "data/formats/protobuf.h"

#include "base/error.h"

namespace lockstep {
namespace {

void append_tag(ByteBuffer& out, uint32_t number, WireType type) {
  append_varint(out, uint64_t{number} << 3 | static_cast<uint64_t>(type));
}

}  // namespace

uint64_t FieldReader::varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const uint8_t byte = take(1)[0];
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  throw Error("varint is longer than ten bytes");
}

ByteView FieldReader::take(uint64_t count) {
  if (count > rest_.size()) throw Error("truncated: {} bytes are missing", count - rest_.size());
  const ByteView taken = rest_.first(static_cast<size_t>(count));
  rest_ = rest_.subspan(static_cast<size_t>(count));
  return taken;
}

std::optional<Field> FieldReader::next() {
  if (rest_.empty()) return {};
  const uint64_t tag = varint();
  Field field = {.number = static_cast<uint32_t>(tag >> 3),
                 .type = static_cast<WireType>(tag & 7),
                 .bytes = {}};
  switch (field.type) {
    case WireType::Varint:
      field.varint = varint();
      return field;
    case WireType::Fixed64:
      field.bytes = take(8);
      return field;
    case WireType::Length:
      field.bytes = take(varint());
      return field;
    case WireType::Fixed32:
      field.bytes = take(4);
      return field;
  }
  throw Error("unknown wire type {}", tag & 7);
}

void append_varint(ByteBuffer& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<uint8_t>(value | 0x80));
  out.push_back(static_cast<uint8_t>(value));
}

void append_varint_field(ByteBuffer& out, uint32_t number, uint64_t value) {
  append_tag(out, number, WireType::Varint);
  append_varint(out, value);
}

void append_fixed32_field(ByteBuffer& out, uint32_t number, uint32_t bits) {
  append_tag(out, number, WireType::Fixed32);
  for (const uint8_t byte : as_little_endian(bits)) out.push_back(byte);
}

void append_fixed64_field(ByteBuffer& out, uint32_t number, uint64_t bits) {
  append_tag(out, number, WireType::Fixed64);
  for (const uint8_t byte : as_little_endian(bits)) out.push_back(byte);
}

void append_bytes_field(ByteBuffer& out, uint32_t number, ByteView bytes) {
  append_tag(out, number, WireType::Length);
  append_varint(out, bytes.size());
  out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace lockstep
