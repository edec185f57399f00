// stored_input.h: a data set on disk as the input of training: order, reading, decoding, batches.
#pragma once

#include <memory>

#include "data/formats/damage.h"
#include "data/pipeline/pipeline.h"
#include "data/pipeline/read_ahead.h"
#include "data/pixels/preprocess.h"

namespace lockstep {

struct StoredInputOptions {
  PreprocessOptions preprocess;
  int batch = 1;
  int classes = 1;  // labels are below
  int rank = 0, ranks = 1;
  uint64_t seed = 0;
  int threads = 1;        // that decode
  int prefetch = 2;       // batches
  int64_t taken = 0;      // examples that all ranks have seen in runs before
  int64_t validated = 0;  // of a validation pass: examples of all ranks; 0: each once
};

class StoredInput : public InputSource {
 public:
  StoredInput(std::unique_ptr<ExampleSource> source, std::unique_ptr<Damage> damage,
              const StoredInputOptions& options);
  ~StoredInput() override;

  const Batch& next() override { return pipeline_.next(); }
  InputCost cost() const override;
  Skipped skipped() const override { return damage_->skipped(); }
  std::string contents() const override;

 private:
  std::unique_ptr<ExampleSource> source_;
  std::unique_ptr<Damage> damage_;
  ReadAhead read_ahead_;
  Pipeline pipeline_;  // its threads use all of the above
};

// Decodes the examples of a ReadAhead. A damaged example that may be skipped is replaced by the
// next intact one in storage. In validation every example comes once; damaged examples and the
// fill-up at the end become an image without label.
class StoredMaker : public ExampleMaker {
 public:
  // Borrows all of it.
  StoredMaker(const ExampleSource& source, ReadAhead& read_ahead, Damage& damage,
              const StoredInputOptions& options)
      : source_(source),
        read_ahead_(read_ahead),
        damage_(damage),
        options_(options),
        preprocessor_(options.preprocess) {}

  int32_t make(int64_t number, std::span<float> image) override;

 private:
  static int32_t fill(std::span<float> image);  // with an image that is not counted
  int32_t decode(const ReadExample& read, int64_t number, std::span<float> image);

  const ExampleSource& source_;
  ReadAhead& read_ahead_;
  Damage& damage_;
  StoredInputOptions options_;
  Preprocessor preprocessor_;
  ReadExample read_;
};

}  // namespace lockstep
