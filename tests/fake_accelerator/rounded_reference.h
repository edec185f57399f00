// rounded_reference.h: a training step in 16 bits, by f32 kernels and rounding.
//
// What a device does in fp16 or bf16: products are summed in f32, and every activation, and every
// gradient of one, is rounded when it is stored; so are kernels, biases and their gradients.
// Statistics of batch normalisation and the loss stay f32. Here each layer computes in f32 on the
// CPU, and its results are rounded: no kernel, tensor or stream of a device in 16 bits takes part.
#pragma once

#include <vector>

#include "engine/engine.h"

namespace lockstep {

struct RoundedStep {
  float loss = 0;
  std::vector<std::vector<float>> gradients;  // plain, by parameter
};

// `values`: plain, by parameter. Of the options: batch, seed, dtype and the first loss scale.
RoundedStep rounded_step(const Graph& graph, const EngineOptions& options,
                         const std::vector<std::vector<float>>& values, const Batch& batch);

}  // namespace lockstep
