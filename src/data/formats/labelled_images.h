// labelled_images.h: a whole data set of small images in memory, pixels interleaved.
#pragma once

#include "data/formats/bytes.h"
#include "tensor/shape.h"

namespace lockstep {

struct LabelledImages {
  Shape image;        // channels x height x width
  ByteBuffer pixels;  // image after image, rows of pixels of channels
  std::vector<uint8_t> labels;

  int64_t count() const { return std::ssize(labels); }
  ByteView pixels_of(int64_t index) const {
    const size_t size = static_cast<size_t>(image.elements());
    return ByteView(pixels).subspan(static_cast<size_t>(index) * size, size);
  }
};

}  // namespace lockstep
