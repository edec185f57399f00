// make_input.h: creates the input of one rank from its specification.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "data/formats/example_source.h"
#include "data/pipeline/input_source.h"
#include "data/pipeline/stored_input.h"
#include "data/pixels/preprocess.h"
#include "tensor/shape.h"

namespace lockstep {

// Where synthetic images are generated: once on the device, once on the host and copied each step,
// or each step by the input pipeline.
enum class SyntheticLocation { Device, Host, Pipeline };

struct InputSpec {
  Shape image;  // channels x height x width
  int batch = 1;
  ImageLayout layout = ImageLayout::Nchw;
  int classes = 1;  // of the network
  uint64_t seed = 0;
  int rank = 0, ranks = 1;
  int threads = 1;   // that make examples
  int prefetch = 2;  // batches ahead

  // Synthetic images.
  SyntheticLocation synthetic = SyntheticLocation::Device;
  int synthetic_labels = 1;  // 0 to one less

  // Stored ones.
  std::string directory = {};  // empty: synthetic
  Split split = Split::Training;
  bool distortions = false;
  ImageStyle style = {};
  std::optional<ResizeMethod> resize = ResizeMethod::Bilinear;  // absent: all in turn
  bool cache = false;
  bool repeat_sample = false;  // of training: one example, again and again
  bool skip_corrupt = false;
  int64_t taken = 0;                             // examples that all ranks saw in runs before
  int64_t cache_limit_bytes = int64_t{1} << 50;  // a larger data set cannot be cached: Error
};

StoredInputOptions stored_options(const InputSpec& spec);

// Throws Error: no data set there, damage, too large to be cached.
std::unique_ptr<InputSource> make_input(const InputSpec& spec);

}  // namespace lockstep
