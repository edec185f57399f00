#include "data/pipeline/stored_input.h"

#include <algorithm>
#include <utility>

#include "data/formats/contents.h"

namespace lockstep {
namespace {

constexpr uint64_t kChance = 0x6368616e;  // the stream of random numbers

OrderOptions order_of(const ExampleSource& source, const StoredInputOptions& options) {
  const auto begins = source.group_begins();
  return {.examples = source.count(),
          .group_begins = {begins.begin(), begins.end()},
          .rank = options.rank,
          .ranks = options.ranks,
          .seed = options.seed,
          .shuffled = options.preprocess.split == Split::Training};
}

// Two threads are enough to keep storage busy; decoding needs the cores.
ReadAheadOptions read_ahead_for(const StoredInputOptions& options) {
  return {.threads = 2, .depth = std::max(64, 8 * options.threads)};
}

}  // namespace

StoredInput::StoredInput(std::unique_ptr<ExampleSource> source, std::unique_ptr<Damage> damage,
                         const StoredInputOptions& options)
    : source_(std::move(source)),
      damage_(std::move(damage)),
      read_ahead_(*source_, EpochOrder(order_of(*source_, options), options.taken),
                  read_ahead_for(options)),
      pipeline_({.batch = options.batch,
                 .image_floats = options.preprocess.image.elements(),
                 .threads = options.threads,
                 .prefetch = options.prefetch},
                [this, options] {
                  return std::make_unique<StoredMaker>(*source_, read_ahead_, *damage_, options);
                }) {}

StoredInput::~StoredInput() { read_ahead_.stop(); }

InputCost StoredInput::cost() const {
  InputCost cost = pipeline_.cost();
  cost.processor_time += read_ahead_.processor_time();
  return cost;
}

std::string StoredInput::contents() const { return contents_of(*source_); }

int32_t StoredMaker::decode(const ReadExample& read, int64_t number, std::span<float> image) {
  if (read.error) throw Error(*read.error);
  const EncodedExample& example = read.example;
  if (example.label < 0 || example.label >= options_.classes) {
    throw Error("{}: label {} is out of range; the network has {} classes, 0 to {}",
                source_.where(read.turn.example), example.label, options_.classes,
                options_.classes - 1);
  }
  // Random numbers depend on the place in the global order, not on threads.
  const RandomStream random(options_.seed,
                            kChance ^ RandomStream::mix(static_cast<uint64_t>(read.turn.place)));
  try {
    preprocessor_.run(
        example, {.random = random, .place_in_batch = static_cast<int>(number % options_.batch)},
        image);
  } catch (const Error& error) {
    throw Error("{}: {}", source_.where(read.turn.example), error.what());
  }
  return static_cast<int32_t>(example.label);
}

int32_t StoredMaker::fill(std::span<float> image) {
  std::ranges::fill(image, 0.0F);
  return kNoLabel;
}

int32_t StoredMaker::make(int64_t number, std::span<float> image) {
  const bool once = options_.preprocess.split == Split::Validation;
  const int64_t end = options_.validated > 0 ? options_.validated : source_.count();
  if (once && options_.rank + number * options_.ranks >= end) return fill(image);
  if (!read_ahead_.take(number, read_)) throw Error("input stopped");
  for (int64_t attempt = 0; attempt < source_.count(); ++attempt) {
    try {
      return decode(read_, number, image);
    } catch (const Error& error) {
      damage_.met(error, read_.turn.example);
    }
    if (once) return fill(image);  // no replacement: every example has its own turn
    read_.turn.example = (read_.turn.example + 1) % source_.count();
    read_.error.reset();
    try {
      source_.read(read_.turn.example, read_.example);
    } catch (const Error& error) {
      read_.error = error;
    }
  }
  throw Error("no readable example in the data set");
}

}  // namespace lockstep
