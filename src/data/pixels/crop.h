// crop.h: chooses the crop of an image. Geometry and random numbers only; no pixels.
#pragma once

#include <optional>
#include <span>

#include "base/random.h"
#include "data/formats/image_record.h"

namespace lockstep {

struct ImageSize {
  int height = 0, width = 0;
};

struct Window {
  int left = 0, top = 0, width = 0, height = 0;

  bool operator==(const Window&) const = default;
};

// For training, as in tf_cnn_benchmarks: a random window with an aspect ratio of 3:4 to 4:3 and 5 %
// to 100 % of the image's area that covers at least a tenth of one of the boxes; the whole image
// after 100 failed attempts. Without boxes the image itself is the box.
Window random_window(ImageSize image, std::span<const ObjectBox> boxes, const RandomStream& random);

// For evaluation: the middle square of the image after its shorter side was resized to 1.145 times
// the square (256 for 224), or to `shorter` if that is given and not less than the square.
struct CentralView {
  ImageSize resized;      // size of the (virtually) resized image
  int left = 0, top = 0;  // of the square in it
};
CentralView central_view(ImageSize image, int side, std::optional<int> shorter = {});

// The largest scale denominator (1, 2, 4 or 8) for decoding a JPEG so that the window still has at
// least as many pixels as it is resized to.
int decode_denominator(const Window& window, ImageSize target);

}  // namespace lockstep
