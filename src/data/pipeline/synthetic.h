// synthetic.h: random images, generated once, and random labels, generated for every step, so that
// training is measured without input work.
//
// Pixels are normal around 127 with deviation 60, cut off at two deviations: 7 to 247, not
// normalised. Labels are uniform. Both depend on the seed alone, and an image on its position in
// the batch: the same pixels in either layout.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "data/pipeline/input_source.h"
#include "tensor/memory.h"
#include "tensor/shape.h"

namespace lockstep {

struct SyntheticOptions {
  Shape image;  // channels x height x width
  int batch = 1;
  int labels = 1;  // how many: 0 to labels - 1
  ImageLayout layout = ImageLayout::Nchw;
  uint64_t seed = 0;
  int64_t taken = 0;  // examples that were made in runs before
};

class SyntheticSource : public InputSource {
 public:
  explicit SyntheticSource(const SyntheticOptions& options);

  const Batch& next() override;

 private:
  Memory images_;
  std::vector<int32_t> labels_;
  Batch batch_;  // views of the two above
  RandomStream label_random_;
  uint64_t label_count_;
  uint64_t first_, drawn_;  // labels before this run, and so far
};

}  // namespace lockstep
