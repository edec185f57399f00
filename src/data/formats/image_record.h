// image_record.h: an image with its label in the ImageNet TFRecord format, with the usual feature
// names.
#pragma once

#include <string>
#include <vector>

#include "data/formats/bytes.h"

namespace lockstep {

// A bounding box, as fractions of image height and width.
struct ObjectBox {
  float top = 0, left = 0, bottom = 1, right = 1;
};

// As read: a view of the record.
struct ImageRecord {
  ByteView encoded;  // image/encoded: a JPEG
  int64_t label = 0;
  std::vector<ObjectBox> boxes;
};

// Throws Error, naming the feature that is missing or wrong.
ImageRecord image_record_in(ByteView record);

// As written.
struct ImageRecordParts {
  ByteView jpeg;
  int64_t label = 0;
  int64_t height = 0, width = 0, channels = 3;
  std::string class_name;  // image/class/synset and image/class/text
  std::string file_name;
};

ByteBuffer image_record_of(const ImageRecordParts& parts);

}  // namespace lockstep
