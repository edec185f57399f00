// made_images.h: synthetic images that compress and decode like photographs, for testing storage
// and pipelines without a data set.
//
// Sizes are drawn like ImageNet's: most have 500 pixels on the longer side and a ratio of 4:3 or
// 3:2. The content is noise whose strength falls with its frequency, as that of natural images
// does, so that a JPEG of the usual quality takes about as many bytes per pixel.
#pragma once

#include "data/pixels/crop.h"
#include "data/pixels/jpeg_encode.h"

namespace lockstep {

ImageSize made_image_size(uint64_t seed, int64_t index);
// Pixels of RGB; depends on the three arguments alone.
ByteBuffer made_image(ImageSize size, uint64_t seed, int64_t index);

}  // namespace lockstep
