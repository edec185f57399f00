#include "data/pipeline/make_input.h"

#include "base/text.h"
#include "data/formats/data_formats.h"
#include "data/pipeline/cached_source.h"
#include "data/pipeline/repeated_source.h"
#include "data/pipeline/synthetic_copies.h"

namespace lockstep {
namespace {

SyntheticOptions synthetic_options(const InputSpec& spec) {
  return {.image = spec.image,
          .batch = spec.batch,
          .labels = spec.synthetic_labels,
          .layout = spec.layout,
          // Every rank generates different examples.
          .seed = spec.seed + static_cast<uint64_t>(spec.rank),
          .taken = spec.taken / spec.ranks};
}

std::unique_ptr<InputSource> synthetic_input(const InputSpec& spec) {
  const SyntheticOptions options = synthetic_options(spec);
  switch (spec.synthetic) {
    case SyntheticLocation::Device:
      return std::make_unique<SyntheticSource>(options);
    case SyntheticLocation::Host:
      return std::make_unique<CopiedSynthetic>(options);
    case SyntheticLocation::Pipeline:
      break;
  }
  return std::make_unique<Pipeline>(
      PipelineOptions{.batch = spec.batch,
                      .image_floats = spec.image.elements(),
                      .threads = spec.threads,
                      .prefetch = spec.prefetch},
      [options] { return std::make_unique<FreshSynthetic>(options); });
}

std::unique_ptr<ExampleSource> cached(std::unique_ptr<ExampleSource> source,
                                      const InputSpec& spec) {
  if (source->bytes() > spec.cache_limit_bytes) {
    throw Error("--cache: the data set has {}, but only {} of memory is free",
                bytes_text(source->bytes()), bytes_text(spec.cache_limit_bytes));
  }
  return std::make_unique<CachedSource>(std::move(source));
}

}  // namespace

std::unique_ptr<InputSource> make_input(const InputSpec& spec) {
  if (spec.directory.empty()) return synthetic_input(spec);
  auto damage =
      std::make_unique<Damage>(spec.skip_corrupt ? Damage::Answer::Skip : Damage::Answer::Stop);
  std::unique_ptr<ExampleSource> source = open_examples({.directory = spec.directory,
                                                         .split = spec.split,
                                                         .damage = *damage,
                                                         .threads = spec.threads});
  if (spec.repeat_sample) {
    const int64_t own = spec.rank % source->count();
    source = std::make_unique<RepeatedSource>(std::move(source), own);
  } else if (spec.cache) {
    source = cached(std::move(source), spec);
  }
  return std::make_unique<StoredInput>(std::move(source), std::move(damage), stored_options(spec));
}

StoredInputOptions stored_options(const InputSpec& spec) {
  return {.preprocess = {.image = spec.image,
                         .layout = spec.layout,
                         .split = spec.split,
                         .distortions = spec.distortions && spec.split == Split::Training,
                         .resize = spec.resize,
                         .style = spec.style},
          .batch = spec.batch,
          .classes = spec.classes,
          .rank = spec.rank,
          .ranks = spec.ranks,
          .seed = spec.seed,
          .threads = spec.threads,
          .prefetch = spec.prefetch,
          .taken = spec.taken};
}

}  // namespace lockstep
