// checkpoint.h: the state of a training run as one block of bytes, which is also the file.
//
//   8 bytes "lockstep", u32 version, u32 CRC-32C of all that follows, u64 length of the whole file,
//   u64 length of the header, the header (JSON, spaces to a multiple of 64 bytes), floats
//
// All little-endian. The header says what the run was and lists the tensors that the floats are,
// one after the other: by name and extents, in plain layout (nn/parameters.h). So a checkpoint
// knows nothing of engines, devices or the number of workers.
//
//   values/NAME             a parameter
//   statistics/NAME         a moving average of batch normalisation
//   carried/ROW/NAME        what goes from step to step for each value of a parameter: "momentum"
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "data/formats/bytes.h"
#include "tensor/memory.h"
#include "tensor/shape.h"

namespace lockstep {

struct CheckpointFacts {
  std::string model, dataset, optimizer;
  int64_t step = 0;      // updates so far
  int64_t examples = 0;  // of the training data, that all workers together have seen
  int64_t optimizer_steps = 0;
  double sum_of_squares = -1;       // of the values that decay; below 0: not known
  double loss_scale = 0;            // of a run in 16 bits whose scale adapts; 0: none
  int64_t steps_of_loss_scale = 0;  // without an overflow since it has changed
  std::string convolutions;  // how they were computed: results depend on it in the last digits

  bool operator==(const CheckpointFacts&) const = default;
};

struct CheckpointTensor {
  std::string name;
  std::vector<int64_t> extents;
};

class Checkpoint {
 public:
  using Fill = std::function<void(size_t tensor, std::span<float> out)>;

  // fill(i, floats) writes tensor i, in order.
  Checkpoint(const CheckpointFacts& facts, std::vector<CheckpointTensor> tensors, const Fill& fill);
  // Reads a file's bytes. Throws Error when it is no checkpoint, torn, or damaged anywhere.
  explicit Checkpoint(Memory bytes);

  const CheckpointFacts& facts() const { return facts_; }
  std::span<const CheckpointTensor> tensors() const { return tensors_; }
  bool has(const std::string& name) const { return places_.contains(name); }
  // Throws Error when there is none of that name and size.
  std::span<const float> floats(const std::string& name, int64_t elements) const;
  const Memory& memory() const { return bytes_; }

 private:
  void place_tensors(int64_t first_float);

  CheckpointFacts facts_;
  std::vector<CheckpointTensor> tensors_;
  std::map<std::string, std::span<float>> places_;  // by name, in bytes_
  Memory bytes_;
};

}  // namespace lockstep
