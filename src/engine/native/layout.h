// layout.h: the memory layout of activations.
//
// Images between layers are blocked by channel: image, channel block, row, column, channel in
// block (oneDNN's nChw8c and nChw16c), the layout in which convolutions run fastest. The last
// block is padded with channels of zeros, and every kernel keeps them zero.
#pragma once

#include <cstdint>

#include "engine/native/onednn.h"
#include "tensor/batch.h"
#include "tensor/shape.h"

namespace lockstep::native {

enum class Format {
  Image,    // the batch as it arrives: plain, by plane or by pixel
  Blocked,  // an image between layers
  Flat,     // image, channel: around dense layers
};

struct Layout {
  int batch;
  int block;  // channels that lie side by side: 8, or 16 where AVX-512 runs
  ImageLayout image;

  int64_t blocks(int64_t channels) const { return (channels + block - 1) / block; }
  int64_t padded(int64_t channels) const { return blocks(channels) * block; }
  int64_t floats_per_image(const Shape& shape, Format format) const {
    if (format != Format::Blocked) return shape.elements();
    return padded(shape.channels()) * shape.height() * shape.width();
  }
  dnnl::memory::desc describe(const Shape& shape, Format format) const;
  dnnl::memory::format_tag blocked_tag() const {
    return block == 16 ? dnnl::memory::format_tag::nChw16c : dnnl::memory::format_tag::nChw8c;
  }
};

// Of a description in Format::Blocked; of others 0.
int block_of(const dnnl::memory::desc& description);

// The block size for this machine's instruction set.
int preferred_block();

}  // namespace lockstep::native
