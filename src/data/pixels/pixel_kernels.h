// pixel_kernels.h: kernels for resizing, colour changes and normalisation, with the widest vector
// instructions of the processor.
#pragma once

#include <array>

#include "data/pixels/jpeg_decode.h"
#include "data/pixels/resample.h"

namespace lockstep {

// Where floats of an image go: planes or pixels.
struct FloatImage {
  float* data = nullptr;
  int height = 0, width = 0, channels = 0;  // 1 or 3
  bool interleaved = false;                 // pixels of channels, not planes
};

// value * scale + offset, by channel.
struct ChannelScale {
  std::array<float, 3> scale = {1, 1, 1}, offset = {0, 0, 0};
};

// Resizes `image` along both axes and normalises on the way. `rows`: room for two rows of
// floats, grown when needed.
void resize_image(const PixelView& image, const ResampleAxis& vertical,
                  const ResampleAxis& horizontal, const ChannelScale& normal, const FloatImage& out,
                  std::vector<float>& rows);

// out = clamp(matrix * (r, g, b, 1), 0, 1), normalised; r, g, b are planes of `pixels` each.
using ColourMatrix = std::array<std::array<float, 4>, 3>;
void recolour(std::span<const float> planes, const ColourMatrix& matrix, const ChannelScale& normal,
              const FloatImage& out);

std::array<double, 3> plane_means(std::span<const float> planes);

}  // namespace lockstep
