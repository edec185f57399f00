// jpeg_decode.h: JPEGs to pixels, only the part that is wanted. The door to libjpeg-turbo.
//
// Rows above the window are skipped, columns beside it are not transformed, rows below are never
// looked at, and where fewer pixels are needed the transform itself makes them fewer. Any kind of
// JPEG becomes RGB, or grey where that is asked for: grey, YCbCr and CMYK, baseline or progressive.
#pragma once

#include <memory>

#include "data/formats/bytes.h"
#include "data/pixels/crop.h"

namespace lockstep {

// Pixels in somebody else's memory, rows of pixels of channels.
struct PixelView {
  const uint8_t* data = nullptr;
  int height = 0, width = 0, channels = 0;
  int64_t row_bytes = 0;  // from one row to the next

  const uint8_t* row(int y) const { return data + y * row_bytes; }
};

class JpegDecoder {
 public:
  explicit JpegDecoder(int channels = 3);  // 3 or 1, of what it makes
  ~JpegDecoder();
  JpegDecoder(JpegDecoder&&) noexcept;

  // Reads the head. `jpeg` must live until decode(). Throws Error on what is no JPEG.
  ImageSize open(ByteView jpeg);
  // The window of the image that is open, each side divided by `denominator` (1, 2, 4, 8) and
  // rounded up. Valid until the next open(). Throws Error on damage and on what would take too much
  // memory.
  PixelView decode(const Window& window, int denominator = 1);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep
