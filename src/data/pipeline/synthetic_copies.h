// synthetic_copies.h: synthetic images that are copied or generated in each step: measures that
// cost without decoding or storage.
#pragma once

#include "data/pipeline/pipeline.h"
#include "data/pipeline/synthetic.h"

namespace lockstep {

// Made once, copied in every step: the cost of moving a batch.
class CopiedSynthetic : public InputSource {
 public:
  explicit CopiedSynthetic(const SyntheticOptions& options);

  const Batch& next() override;

 private:
  SyntheticSource made_;
  Memory images_;
  Batch batch_;
};

// Made anew for every step, by threads of a pipeline: the cost of producing a batch.
class FreshSynthetic : public ExampleMaker {
 public:
  explicit FreshSynthetic(const SyntheticOptions& options) : options_(options) {}

  int32_t make(int64_t number, std::span<float> image) override;

 private:
  SyntheticOptions options_;
};

}  // namespace lockstep
