// protobuf.h: reads the protocol buffer wire format, as far as tf.train.Example needs it.
#pragma once

#include <optional>

#include "data/formats/bytes.h"

namespace lockstep {

enum class WireType { Varint = 0, Fixed64 = 1, Length = 2, Fixed32 = 5 };

struct Field {
  uint32_t number = 0;
  WireType type = WireType::Varint;
  uint64_t varint = 0;  // of Varint
  ByteView bytes;       // of the others: 8, any number, or 4
};

// Reads the fields of a message in order. Throws Error for an invalid field.
class FieldReader {
 public:
  explicit FieldReader(ByteView message) : rest_(message) {}

  std::optional<Field> next();  // absent at the end
  bool done() const { return rest_.empty(); }
  uint64_t varint();  // for packed lists

 private:
  ByteView take(uint64_t count);

  ByteView rest_;
};

void append_varint(ByteBuffer& out, uint64_t value);
void append_varint_field(ByteBuffer& out, uint32_t number, uint64_t value);
void append_fixed32_field(ByteBuffer& out, uint32_t number, uint32_t bits);
void append_fixed64_field(ByteBuffer& out, uint32_t number, uint64_t bits);
void append_bytes_field(ByteBuffer& out, uint32_t number, ByteView bytes);

}  // namespace lockstep
