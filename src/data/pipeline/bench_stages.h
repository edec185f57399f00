// bench_stages.h: measures the throughput of each input stage and of the whole pipeline.
#pragma once

#include <span>
#include <string_view>

#include "base/time.h"
#include "data/formats/example_source.h"
#include "data/pixels/preprocess.h"

namespace lockstep {

struct StageRate {
  std::string_view stage;
  int threads = 0;
  double images_per_second = 0;
  double bytes_per_second = 0;  // as stored, of images of the mean size
  // Images per second of CPU time: the rate of one undisturbed core.
  double images_per_core_second = 0;
};

struct BenchRequest {
  PreprocessOptions preprocess;
  int batch = 32;
  int threads = 1;
  Seconds time{1};  // of each stage
  uint64_t seed = 0;
};

struct Stage {
  std::string_view name, what;
  StageRate (*measure)(const ExampleSource& source, const BenchRequest& request);
};

// Read, decode, augment, whole pipeline: each contains the one before.
std::span<const Stage> stages();

}  // namespace lockstep
