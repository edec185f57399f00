// crop.h: chooses the crop of an image. Geometry and random numbers only; no pixels.
#pragma once

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

// For training, as the established benchmark draws it: a window with an aspect ratio of 3:4 to
// 4:3 and 5 % to 100 % of the image's area that covers at least a tenth of one of the boxes; the
// whole image after a hundred vain attempts. Without boxes the image itself is the box.
Window random_window(ImageSize image, std::span<const ObjectBox> boxes, const RandomStream& random);

// For evaluation: the middle square of the image after its shorter side was resized to 1.145 times
// the square (256 for 224).
struct CentralView {
  ImageSize resized;      // the image is thought to be resized to this
  int left = 0, top = 0;  // of the square in it
};
CentralView central_view(ImageSize image, int side);

// How coarsely a JPEG may be decoded (1, 2, 4 or 8: every so many pixels one) so that a window
// still has at least as many pixels as it is resized to.
int decode_denominator(const Window& window, ImageSize target);

}  // namespace lockstep
