// jpeg_decode.h: decodes a window of a JPEG. Uses libjpeg-turbo.
//
// Rows above the window are skipped, columns outside it are not transformed, rows below it are not
// read. If fewer pixels are needed, the inverse transform scales down. Input may be grey, YCbCr or
// CMYK, baseline or progressive; output is RGB or grey.
#pragma once

#include <memory>

#include "data/formats/bytes.h"
#include "data/pixels/crop.h"

namespace lockstep {

// A view of pixels in borrowed memory: rows of pixels of channels.
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
