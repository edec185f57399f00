// jpeg_encode.h: encodes JPEGs for `data make` and `data pack`.
#pragma once

#include "data/pixels/jpeg_decode.h"

namespace lockstep {

struct JpegStyle {
  int quality = 90;
  bool full_colour = false;  // no subsampling of colour: for images of a few pixels
  bool progressive = false;
};

// Throws Error. Channels: 1 grey, 3 RGB, 4 CMYK as Adobe stores it.
ByteBuffer encode_jpeg(const PixelView& image, const JpegStyle& style = {});

}  // namespace lockstep
