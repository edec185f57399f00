#include "data/pipeline/bench_stages.h"

#include <atomic>
#include <functional>

#include "data/formats/parallel_for.h"
#include "data/pipeline/borrowed_source.h"
#include "data/pipeline/stored_input.h"
#include "data/pipeline/thread_clock.h"
#include "data/pixels/crop.h"

namespace lockstep {
namespace {

constexpr uint64_t kChance = 0x62656e63;  // the stream of random numbers

// Work on one example, for one thread.
using Work = std::function<void(const EncodedExample& example, int64_t number)>;

double stored_bytes(const ExampleSource& source, double images) {
  return images * static_cast<double>(source.bytes()) / static_cast<double>(source.count());
}

// As many examples as the threads finish in the time, in stored order; at least one per thread.
StageRate rate_of(std::string_view stage, const ExampleSource& source, const BenchRequest& request,
                  const std::function<Work()>& new_work) {
  std::atomic<int64_t> next = 0, examples = 0;
  std::atomic<double> processor_seconds = 0;
  const TimePoint start = Clock::now();
  for_each_in_parallel(request.threads, request.threads, [&](int64_t) {
    const Work work = new_work();
    EncodedExample example;
    const Seconds before = thread_processor_time();
    do {
      const int64_t number = next++;
      source.read(number % source.count(), example);
      work(example, number);
      ++examples;
    } while (seconds_since(start) < request.time);
    processor_seconds += (thread_processor_time() - before).count();
  });
  const double rate = static_cast<double>(examples) / seconds_since(start).count();
  return {.stage = stage,
          .threads = request.threads,
          .images_per_second = rate,
          .bytes_per_second = stored_bytes(source, rate),
          .images_per_core_second = static_cast<double>(examples) / processor_seconds};
}

RandomStream chance_of(const BenchRequest& request, int64_t number) {
  return RandomStream(request.seed, kChance ^ RandomStream::mix(static_cast<uint64_t>(number)));
}

StageRate measure_reading(const ExampleSource& source, const BenchRequest& request) {
  return rate_of("read", source, request, [] { return [](const EncodedExample&, int64_t) {}; });
}

StageRate measure_decoding(const ExampleSource& source, const BenchRequest& request) {
  const ImageSize target = {static_cast<int>(request.preprocess.image.height()),
                            static_cast<int>(request.preprocess.image.width())};
  return rate_of("decode", source, request, [&]() -> Work {
    // Shared by the copies that a std::function makes of what it holds.
    const auto decoder = std::make_shared<JpegDecoder>();
    return [&, decoder](const EncodedExample& example, int64_t number) {
      if (example.form == EncodedExample::Form::Pixels) return;
      const ImageSize size = decoder->open(example.bytes);
      const Window window = random_window(size, example.boxes, chance_of(request, number));
      decoder->decode(window, decode_denominator(window, target));
    };
  });
}

StageRate measure_augmenting(const ExampleSource& source, const BenchRequest& request) {
  return rate_of("augment", source, request, [&]() -> Work {
    const auto preprocessor = std::make_shared<Preprocessor>(request.preprocess);  // as above
    const auto out = std::make_shared<std::vector<float>>(request.preprocess.image.elements());
    return [&, preprocessor, out](const EncodedExample& example, int64_t number) {
      preprocessor->run(example,
                        {.random = chance_of(request, number),
                         .place_in_batch = static_cast<int>(number % request.batch)},
                        *out);
    };
  });
}

StageRate measure_pipeline(const ExampleSource& source, const BenchRequest& request) {
  StoredInput input(std::make_unique<BorrowedSource>(source), std::make_unique<Damage>(),
                    {.preprocess = request.preprocess,
                     .batch = request.batch,
                     .classes = 1 << 30,
                     .seed = request.seed,
                     .threads = request.threads});
  for (int i = 0; i < 3; ++i) input.next();  // what was made before the clock started
  int64_t batches = 0;
  const InputCost before = input.cost();
  const TimePoint start = Clock::now();
  do {
    input.next();
    ++batches;
  } while (seconds_since(start) < request.time);
  const double rate = static_cast<double>(batches * request.batch) / seconds_since(start).count();
  const InputCost after = input.cost();
  return {.stage = "pipeline",
          .threads = request.threads,
          .images_per_second = rate,
          .bytes_per_second = stored_bytes(source, rate),
          .images_per_core_second = static_cast<double>(after.examples - before.examples) /
                                    (after.processor_time - before.processor_time).count()};
}

constexpr Stage kStages[] = {
    {"read", "bytes from storage, checksums verified", measure_reading},
    {"decode", "also decoded to the pixels of the crop", measure_decoding},
    {"augment", "also resized, flipped, normalised", measure_augmenting},
    {"pipeline", "also assembled into batches, in order", measure_pipeline},
};

}  // namespace

std::span<const Stage> stages() { return kStages; }

}  // namespace lockstep
