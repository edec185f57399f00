#include "data/formats/example_proto.h"

#include "base/error.h"
#include "data/formats/protobuf.h"

namespace lockstep {
namespace {

// Field numbers of Example, Features, the map's entries, Feature, and of the three lists.
constexpr uint32_t kFeatures = 1, kEntry = 1, kKey = 1, kValue = 2, kListValue = 1;
constexpr uint32_t kBytesList = 1, kFloatList = 2, kInt64List = 3;

ByteView message_in(const Field& field) {
  if (field.type != WireType::Length) throw Error("field {} is not a message", field.number);
  return field.bytes;
}

Feature feature_in(ByteView message) {
  Feature feature;
  FieldReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number < kBytesList || field->number > kInt64List) continue;
    feature = {static_cast<Feature::Kind>(field->number), message_in(*field)};
  }
  return feature;
}

void read_entry(ByteView message, Features& features) {
  std::string_view name;
  ByteView value;
  FieldReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == kKey) name = text_of(message_in(*field));
    if (field->number == kValue) value = message_in(*field);
  }
  features[name] = feature_in(value);
}

void expect_kind(Feature::Kind is, Feature::Kind wanted, std::string_view words) {
  if (is != wanted) throw Error("not a list of {}", words);
}

}  // namespace

std::vector<ByteView> Feature::byte_strings() const {
  expect_kind(kind_, Kind::ByteStrings, "byte strings");
  std::vector<ByteView> values;
  FieldReader reader(list_);
  while (const auto field = reader.next()) {
    if (field->number == kListValue) values.push_back(message_in(*field));
  }
  return values;
}

std::vector<float> Feature::floats() const {
  expect_kind(kind_, Kind::Floats, "floats");
  std::vector<float> values;
  FieldReader reader(list_);
  while (const auto field = reader.next()) {
    if (field->number != kListValue || field->type == WireType::Varint) continue;
    if (field->bytes.size() % 4 != 0) throw Error("truncated list of floats");
    for (size_t i = 0; i < field->bytes.size(); i += 4) {
      values.push_back(little_endian<float>(field->bytes.subspan(i)));
    }
  }
  return values;
}

std::vector<int64_t> Feature::integers() const {
  expect_kind(kind_, Kind::Integers, "integers");
  std::vector<int64_t> values;
  FieldReader reader(list_);
  while (const auto field = reader.next()) {
    if (field->number != kListValue) continue;
    if (field->type == WireType::Varint) values.push_back(static_cast<int64_t>(field->varint));
    if (field->type != WireType::Length) continue;
    FieldReader packed(field->bytes);
    while (!packed.done()) values.push_back(static_cast<int64_t>(packed.varint()));
  }
  return values;
}

Features features_in(ByteView record) {
  Features features;
  FieldReader example(record);
  while (const auto field = example.next()) {
    if (field->number != kFeatures) continue;
    FieldReader entries(message_in(*field));
    while (const auto entry = entries.next()) {
      if (entry->number == kEntry) read_entry(message_in(*entry), features);
    }
  }
  return features;
}

void ExampleBuilder::add_feature(std::string_view name, uint32_t kind, const ByteBuffer& list) {
  ByteBuffer feature, entry;
  append_bytes_field(feature, kind, list);
  append_bytes_field(entry, kKey, bytes_of(name));
  append_bytes_field(entry, kValue, feature);
  append_bytes_field(entries_, kEntry, entry);
}

void ExampleBuilder::add(std::string_view name, std::string_view value) {
  ByteBuffer list;
  append_bytes_field(list, kListValue, bytes_of(value));
  add_feature(name, kBytesList, list);
}

void ExampleBuilder::add(std::string_view name, std::span<const int64_t> values) {
  ByteBuffer packed, list;
  for (const int64_t value : values) append_varint(packed, static_cast<uint64_t>(value));
  append_bytes_field(list, kListValue, packed);
  add_feature(name, kInt64List, list);
}

void ExampleBuilder::add(std::string_view name, std::span<const float> values) {
  ByteBuffer packed, list;
  for (const float value : values) {
    const auto bytes = as_little_endian(std::bit_cast<uint32_t>(value));
    packed.insert(packed.end(), bytes.begin(), bytes.end());
  }
  append_bytes_field(list, kListValue, packed);
  add_feature(name, kFloatList, list);
}

ByteBuffer ExampleBuilder::finish() const {
  ByteBuffer record;
  append_bytes_field(record, kFeatures, entries_);
  return record;
}

}  // namespace lockstep
