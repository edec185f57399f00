// dropout_keys.h: the keys of this step's dropout masks, in device memory.
//
// A mask is made on the device from a key that differs from step to step. A graph of a step is the
// same in every step, so it reads the key from memory that the engine writes before.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "nn/graph.h"

namespace lockstep::libtorch {

class DropoutKeys {
 public:
  DropoutKeys(at::Device device, uint64_t seed) : device_(device), seed_(seed) {}

  at::Tensor add(NodeId layer);  // one number; set() writes to it
  void set(int64_t step);        // on the calling thread's stream

 private:
  struct Key {
    NodeId layer;
    at::Tensor number;
  };

  at::Device device_;
  uint64_t seed_;
  std::vector<Key> keys_;
};

}  // namespace lockstep::libtorch
