// batch.h: the examples of one step, as the engine reads them. Borrows; the input pipeline owns.
#pragma once

#include <cstdint>
#include <span>

namespace lockstep {

// How the floats of an image follow each other: by channel plane, or by pixel.
enum class ImageLayout { Nchw, Nhwc };

// Of an image that only fills the batch, in inference: it counts nowhere.
inline constexpr int32_t kNoLabel = -1;

struct Batch {
  std::span<const float> images;    // size() images, in the layout that the engine was made for
  std::span<const int32_t> labels;  // one class per image
  bool same_images = false;         // as in the batch before, of the same source

  int size() const { return static_cast<int>(labels.size()); }
};

}  // namespace lockstep
