// idx.h: IDX files, the format of MNIST: arrays of bytes of any number of dimensions.
//
//   two zero bytes, a byte for the type of elements (8: unsigned bytes), a byte for the number of
//   dimensions, each extent as a big-endian u32, the elements (Y. LeCun, "The MNIST database")
#pragma once

#include <vector>

#include "data/formats/bytes.h"

namespace lockstep {

struct IdxArray {
  std::vector<int64_t> extents;
  ByteBuffer elements;
};

// Of a file's bytes, compressed by gzip or not. Throws Error.
IdxArray idx_array_in(ByteView file);

}  // namespace lockstep
