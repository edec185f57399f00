// Whole inputs: the same batches whatever the threads, every example once, damage answered.
#include <gmock/gmock.h>

#include <atomic>
#include <map>

#include "data/pipeline/make_input.h"
#include "data/pixels/jpeg_encode.h"
#include "data/samples.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

// A picture that is all of one grey, by which it is recognised.
ByteBuffer grey_jpeg(int grey, int height = 24, int width = 20) {
  const ByteBuffer pixels(static_cast<size_t>(3 * height * width), static_cast<uint8_t>(grey));
  return encode_jpeg({pixels.data(), height, width, 3, 3 * width}, {.quality = 100});
}

struct Record {
  ByteBuffer jpeg;
  int64_t label;
};

void write_shard(const TemporaryDirectory& directory, int shard, int shards,
                 const std::vector<Record>& records) {
  RecordWriter writer(directory.path(fmt::format("train-{:05}-of-{:05}", shard, shards)));
  for (const Record& record : records) {
    writer.write(image_record_of(
        {.jpeg = record.jpeg, .label = record.label, .class_name = "c", .file_name = "f"}));
  }
  writer.finish();
}

// Three shards; example i has label i.
void write_greys(const TemporaryDirectory& directory, int count) {
  std::vector<Record> shards[3];
  for (int i = 0; i < count; ++i) shards[i * 3 / count].push_back({grey_jpeg(2 * i), i});
  for (int i = 0; i < 3; ++i) write_shard(directory, i, 3, shards[i]);
}

InputSpec spec_of(const TemporaryDirectory& directory) {
  return {.image = {3, 16, 16},
          .batch = 4,
          .classes = 100,
          .seed = 5,
          .directory = directory.path().string()};
}

std::string first_error(const InputSpec& spec, int batches = 10) {
  return error_of([&] {
    const auto input = make_input(spec);
    for (int i = 0; i < batches; ++i) input->next();
  });
}

TEST(Input, OneExampleCanStandForAll) {
  const TemporaryDirectory directory;
  write_greys(directory, 9);
  InputSpec spec = spec_of(directory);
  spec.repeat_sample = true;
  spec.ranks = 2;
  for (spec.rank = 0; spec.rank < 2; ++spec.rank) {
    const auto input = make_input(spec);
    for (int i = 0; i < 5; ++i) {
      for (const int32_t label : input->next().labels) EXPECT_EQ(label, spec.rank);
    }
    EXPECT_GT(input->cost().examples, 0);  // each is decoded
  }
}

TEST(Input, BatchesAreTheSameWhateverTheNumberOfThreads) {
  const TemporaryDirectory directory;
  write_greys(directory, 30);
  std::vector<std::vector<float>> images;
  std::vector<std::vector<int32_t>> labels;
  for (const int threads : {1, 4}) {
    InputSpec spec = spec_of(directory);
    spec.threads = threads;
    spec.distortions = true;
    spec.cache = threads == 4;
    const auto input = make_input(spec);
    images.emplace_back(), labels.emplace_back();
    for (int step = 0; step < 20; ++step) {
      const Batch& batch = input->next();
      images.back().insert(images.back().end(), batch.images.begin(), batch.images.end());
      labels.back().insert(labels.back().end(), batch.labels.begin(), batch.labels.end());
    }
    EXPECT_EQ(input->cost().threads, threads);
    EXPECT_GE(input->cost().examples, 80);
  }
  EXPECT_EQ(labels[0], labels[1]);
  EXPECT_EQ(images[0], images[1]);
}

TEST(Input, RanksTogetherSeeEveryExampleOncePerEpochWithItsOwnLabel) {
  const TemporaryDirectory directory;
  write_greys(directory, 24);
  std::map<int32_t, int> seen;
  for (int rank = 0; rank < 3; ++rank) {
    InputSpec spec = spec_of(directory);
    spec.rank = rank;
    spec.ranks = 3;
    const auto input = make_input(spec);
    for (int step = 0; step < 2; ++step) {  // 2 steps of 4 on 3 ranks: one epoch
      const Batch& batch = input->next();
      for (int i = 0; i < 4; ++i) {
        const int32_t label = batch.labels[i];
        ++seen[label];
        EXPECT_NEAR(batch.images[i * 3 * 16 * 16], 2 * label / 127.5 - 1, 0.03);
      }
    }
  }
  EXPECT_EQ(seen.size(), 24u);
  for (const auto& [label, times] : seen) EXPECT_EQ(times, 1) << label;
}

TEST(Input, DamageStopsTheRunWithFileAndByteOrIsSkippedAndCounted) {
  struct Case {
    const char* what;
    std::vector<Record> records;
    const char* message;
  };
  const ByteBuffer good = grey_jpeg(50);
  const auto cut = [&] {
    ByteBuffer jpeg = encode_jpeg({ByteBuffer(300 * 300 * 3, 7).data(), 300, 300, 3, 900});
    jpeg.resize(jpeg.size() / 2);
    return jpeg;
  };
  const Case cases[] = {
      {"not a JPEG", {{{1, 2, 3, 4}, 1}, {good, 2}}, "byte 0: not a JPEG"},
      {"label too large",
       {{good, 100}, {good, 2}},
       "label 100 is out of range; the network has 100"},
      {"label below zero", {{good, -1}, {good, 2}}, "label -1 is out of range"},
      {"cut JPEG", {{cut(), 1}, {good, 2}}, "byte 0: "},
  };
  for (const Case& each : cases) {
    const TemporaryDirectory directory;
    write_shard(directory, 0, 1, each.records);
    InputSpec spec = spec_of(directory);
    const std::string error = first_error(spec);
    EXPECT_THAT(error, HasSubstr(directory.path("train-00000-of-00001") + ", byte 0: "))
        << each.what;
    EXPECT_THAT(error, HasSubstr(each.message)) << each.what;
    spec.skip_corrupt = true;
    const auto input = make_input(spec);
    for (int32_t label : input->next().labels) EXPECT_EQ(label, 2) << each.what;
    EXPECT_GE(input->skipped().examples.size(), 1u) << each.what;
  }
}

TEST(Input, AFlippedBitIsFoundByItsChecksum) {
  const TemporaryDirectory directory;
  write_shard(directory, 0, 1, {{grey_jpeg(1), 1}, {grey_jpeg(2), 2}});
  const std::string path = directory.path("train-00000-of-00001");
  ByteBuffer bytes = read_file(path);
  bytes[100] ^= 16;
  write_file(path, bytes);
  InputSpec spec = spec_of(directory);
  EXPECT_THAT(first_error(spec), HasSubstr("byte 0: wrong checksum of the record"));
  spec.skip_corrupt = true;
  EXPECT_EQ(first_error(spec), "");
}

TEST(Input, AShardThatVanishesInTheMiddleIsNamed) {
  const TemporaryDirectory directory;
  const int kShards = 70;  // more than stay open
  for (int i = 0; i < kShards; ++i)
    write_shard(directory, i, kShards, {{grey_jpeg(i), i}, {grey_jpeg(i), i}});
  const auto input = make_input(spec_of(directory));
  input->next();
  for (int i = 0; i < kShards; ++i) {
    std::filesystem::remove(directory.path(fmt::format("train-{:05}-of-{:05}", i, kShards)));
  }
  EXPECT_THAT(error_of([&] {
                for (int i = 0; i < 200; ++i) input->next();
              }),
              HasSubstr("No such file"));
}

// A million bytes each.
class LargeExamples : public ExampleSource {
 public:
  int64_t count() const override { return 10; }
  int64_t bytes() const override { return 10'000'000; }
  std::span<const int64_t> group_begins() const override { return {}; }
  void read(int64_t, EncodedExample& out) const override {
    ++reads;
    out.storage.resize(1'000'000);
    out.bytes = out.storage;
  }
  void will_need(int64_t) const override {}
  std::string where(int64_t) const override { return ""; }

  mutable std::atomic<int64_t> reads = 0;
};

TEST(ReadAhead, HoldsNoMoreBytesThanItMay) {
  const LargeExamples source;
  ReadAhead ahead(source, EpochOrder({.examples = 10}),
                  {.threads = 2, .depth = 64, .most_bytes = 3'000'000});
  for (int64_t i = 0; i < 300; ++i) {
    ReadExample example;
    ASSERT_TRUE(ahead.take(i, example));
    ASSERT_LE(source.reads, i + 1 + 4);  // three, and one more by the thread that did not see them
  }
}

// However small the limit: one is always read.
TEST(ReadAhead, AnExampleLargerThanTheLimitIsReadAlone) {
  const LargeExamples source;
  ReadAhead ahead(source, EpochOrder({.examples = 10}), {.threads = 2, .most_bytes = 1});
  ReadExample example;
  for (int64_t i = 0; i < 50; ++i) ASSERT_TRUE(ahead.take(i, example));
}

TEST(Input, NothingReadableIsAnErrorEvenWhenDamageIsSkipped) {
  const TemporaryDirectory directory;
  write_shard(directory, 0, 1, {{{1, 2, 3}, 1}, {{4, 5, 6}, 1}});
  InputSpec spec = spec_of(directory);
  spec.skip_corrupt = true;
  EXPECT_THAT(first_error(spec), HasSubstr("no readable example in the data set"));
}

TEST(Input, ADataSetLargerThanMemoryIsNotCached) {
  const TemporaryDirectory directory;
  write_greys(directory, 6);
  InputSpec spec = spec_of(directory);
  spec.cache = true;
  spec.cache_limit_bytes = 1000;
  EXPECT_THAT(first_error(spec), HasSubstr("--cache: the data set has "));
}

TEST(Input, ACachedDataSetNoLongerNeedsItsFiles) {
  const TemporaryDirectory directory;
  write_greys(directory, 12);
  InputSpec spec = spec_of(directory);
  spec.cache = true;
  const auto input = make_input(spec);
  for (int i = 0; i < 100; ++i) input->next();  // far beyond what is read ahead
  for (int i = 0; i < 3; ++i) {
    std::filesystem::remove(directory.path(fmt::format("train-{:05}-of-00003", i)));
  }
  for (int i = 0; i < 20; ++i) input->next();
}

TEST(Input, SyntheticImagesHaveThreeModes) {
  InputSpec spec = {.image = {3, 8, 8}, .batch = 5, .seed = 9, .synthetic_labels = 10};
  for (const SyntheticLocation location :
       {SyntheticLocation::Device, SyntheticLocation::Host, SyntheticLocation::Pipeline}) {
    spec.synthetic = location;
    const auto input = make_input(spec);
    const Batch first = input->next();
    const std::vector<float> images(first.images.begin(), first.images.end());
    const Batch& second = input->next();
    const bool same = std::ranges::equal(second.images, images);
    EXPECT_EQ(same, location != SyntheticLocation::Pipeline);
    EXPECT_EQ(second.size(), 5);
    for (const float pixel : second.images) ASSERT_TRUE(pixel >= 7 && pixel <= 247);
    for (const int32_t label : second.labels) ASSERT_TRUE(label >= 0 && label < 10);
  }
}

}  // namespace
}  // namespace lockstep
