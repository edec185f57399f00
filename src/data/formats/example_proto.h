// example_proto.h: tf.train.Example, read and written without a protobuf library.
//
// An Example is a map from names to features; a feature is a list of byte strings, of floats or of
// integers (TensorFlow's example.proto and feature.proto). Reading copies nothing: features are
// views of the record and are parsed only on access.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/bytes.h"

namespace lockstep {

class Feature {
 public:
  enum class Kind { Nothing, ByteStrings, Floats, Integers };
  Feature() = default;
  Feature(Kind kind, ByteView list) : kind_(kind), list_(list) {}

  Kind kind() const { return kind_; }
  // All values. Throw Error if the feature has another type or is damaged.
  std::vector<ByteView> byte_strings() const;
  std::vector<float> floats() const;
  std::vector<int64_t> integers() const;

 private:
  Kind kind_ = Kind::Nothing;
  ByteView list_;  // the list's message
};

using Features = std::map<std::string_view, Feature>;

// Throws Error. Views of `record`, valid as long as it is.
Features features_in(ByteView record);

class ExampleBuilder {
 public:
  void add(std::string_view name, std::string_view value);
  void add(std::string_view name, std::span<const int64_t> values);
  void add(std::string_view name, std::span<const float> values);
  ByteBuffer finish() const;  // the record

 private:
  void add_feature(std::string_view name, uint32_t kind, const ByteBuffer& list);

  ByteBuffer entries_;
};

}  // namespace lockstep
