#include "data/formats/image_record.h"

#include "base/error.h"
#include "data/formats/example_proto.h"

namespace lockstep {
namespace {

constexpr std::string_view kEncoded = "image/encoded", kLabel = "image/class/label";
constexpr std::string_view kBoxKeys[] = {"image/object/bbox/ymin", "image/object/bbox/xmin",
                                         "image/object/bbox/ymax", "image/object/bbox/xmax"};

// Calls read(feature) and adds the feature's name to errors.
template <typename Read>
auto named(const Features& features, std::string_view name, const Read& read) {
  const auto found = features.find(name);
  if (found == features.end()) throw Error("no feature {}", name);
  try {
    return read(found->second);
  } catch (const Error& error) {
    throw Error("feature {}: {}", name, error.what());
  }
}

// Boxes are optional, and so is each list: files without any have them empty.
std::vector<float> coordinates(const Features& features, std::string_view name) {
  const auto found = features.find(name);
  if (found == features.end() || found->second.kind() == Feature::Kind::Nothing) return {};
  return named(features, name, [](const Feature& feature) { return feature.floats(); });
}

std::vector<ObjectBox> boxes_in(const Features& features) {
  std::vector<float> sides[4];
  for (size_t i = 0; i < 4; ++i) sides[i] = coordinates(features, kBoxKeys[i]);
  std::vector<ObjectBox> boxes;
  for (size_t i = 0; i < sides[0].size(); ++i) {
    if (i >= sides[1].size() || i >= sides[2].size() || i >= sides[3].size()) {
      throw Error("incomplete bounding boxes");
    }
    const ObjectBox box = {sides[0][i], sides[1][i], sides[2][i], sides[3][i]};
    const bool proper = 0 <= box.top && box.top < box.bottom && box.bottom <= 1 && 0 <= box.left &&
                        box.left < box.right && box.right <= 1;
    if (proper) boxes.push_back(box);  // the published files hold a few that are not
  }
  return boxes;
}

}  // namespace

ImageRecord image_record_in(ByteView record) {
  const Features features = features_in(record);
  const auto encoded =
      named(features, kEncoded, [](const Feature& feature) { return feature.byte_strings(); });
  const auto labels =
      named(features, kLabel, [](const Feature& feature) { return feature.integers(); });
  if (encoded.empty()) throw Error("feature {} is empty", kEncoded);
  if (labels.empty()) throw Error("feature {} is empty", kLabel);
  return {.encoded = encoded.front(), .label = labels.front(), .boxes = boxes_in(features)};
}

ByteBuffer image_record_of(const ImageRecordParts& parts) {
  const auto one = [](const int64_t& value) { return std::span<const int64_t>(&value, 1); };
  ExampleBuilder builder;
  builder.add(kEncoded, text_of(parts.jpeg));
  builder.add(kLabel, one(parts.label));
  builder.add("image/class/synset", parts.class_name);
  builder.add("image/class/text", parts.class_name);
  builder.add("image/height", one(parts.height));
  builder.add("image/width", one(parts.width));
  builder.add("image/channels", one(parts.channels));
  builder.add("image/colorspace", parts.channels == 1 ? "Grayscale" : "RGB");
  builder.add("image/format", "JPEG");
  builder.add("image/filename", parts.file_name);
  for (const std::string_view key : kBoxKeys) builder.add(key, std::span<const float>());
  return builder.finish();
}

}  // namespace lockstep
