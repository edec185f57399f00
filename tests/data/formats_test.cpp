// Directories: what is there is recognised, opened and numbered; what is not is said.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "data/formats/data_formats.h"
#include "data/samples.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<ExampleSource> opened(const TemporaryDirectory& directory, Damage& damage,
                                      Split split = Split::Training) {
  return open_examples({.directory = directory.path(), .split = split, .damage = damage});
}

TEST(Formats, EachIsRecognisedByItsFiles) {
  const ByteBuffer planes(3072, 1);
  struct Case {
    const char* data_name;
    const char* format;
    void (*write)(const TemporaryDirectory&, ByteView);
  };
  const Case cases[] = {
      {"imagenet", "TFRecord files",
       [](const TemporaryDirectory& d, ByteView) {
         write_text_shards(d, {2, 1});
       }},
      {"imagenet", "JPEG files by class",
       [](const TemporaryDirectory& d, ByteView b) { write_file(d.path("train/cat/1.JPEG"), b); }},
      {"cifar10", "CIFAR-10 Python batches",
       [](const TemporaryDirectory& d, ByteView b) {
         write_file(d.path("cifar-10-batches-py/data_batch_1"), cifar_pickle({1}, b));
       }},
      {"cifar10", "CIFAR-10 binary batches",
       [](const TemporaryDirectory& d, ByteView) {
         write_file(d.path("data_batch_2.bin"), ByteBuffer(3073));
       }},
      {"mnist", "MNIST IDX files",
       [](const TemporaryDirectory& d, ByteView b) {
         write_file(d.path("train-images-idx3-ubyte"), idx_file_of({3, 32, 32}, b));
         write_file(d.path("train-labels-idx1-ubyte"), idx_file_of({3}, b.first(3)));
       }},
  };
  for (const Case& each : cases) {
    const TemporaryDirectory directory;
    each.write(directory, planes);
    const DataFormat& format = guess_format(directory.path());
    EXPECT_EQ(format.name, each.format);
    EXPECT_EQ(format.data_name(directory.path()), each.data_name);
    Damage damage;
    const auto source = opened(directory, damage);
    EXPECT_GE(source->count(), 1);
    EncodedExample example;
    source->read(0, example);
    EXPECT_FALSE(example.bytes.empty());
  }
}

TEST(Formats, MissingDataIsReported) {
  const TemporaryDirectory directory;
  EXPECT_THAT(error_of([&] { guess_format(directory.path("missing")); }),
              HasSubstr("cannot read directory " + directory.path("missing") + ": No such file"));
  EXPECT_THAT(error_of([&] { guess_format(directory.path()); }), HasSubstr("is empty"));
  write_file(directory.path("notes.txt"), bytes_of("x"));
  EXPECT_THAT(error_of([&] { guess_format(directory.path()); }),
              HasSubstr("looked for train-*-of-*"));
  EXPECT_THAT(error_of([&] { guess_format(directory.path("notes.txt")); }),
              HasSubstr("Not a directory"));
}

TEST(Formats, TfrecordsAreNumberedThroughAllFiles) {
  const TemporaryDirectory directory;
  write_text_shards(directory, {3, 0, 2});
  Damage damage;
  const auto source = opened(directory, damage);
  ASSERT_EQ(source->count(), 5);
  EXPECT_EQ(std::vector<int64_t>(source->group_begins().begin(), source->group_begins().end()),
            (std::vector<int64_t>{0, 3, 3}));
  EncodedExample example;
  for (int i = 0; i < 5; ++i) {
    source->read(i, example);
    EXPECT_EQ(text_of(example.bytes), "image " + std::to_string(i));
    EXPECT_EQ(example.label, i);
  }
  EXPECT_EQ(source->where(3), directory.path("train-00002-of-00003") + ", byte 0");
}

TEST(Formats, AVanishedShardIsNamed) {
  const TemporaryDirectory directory;
  write_text_shards(directory, {1, 1});
  Damage damage;
  const auto source = opened(directory, damage);
  std::filesystem::remove(directory.path("train-00001-of-00002"));
  EncodedExample example;
  EXPECT_THAT(
      error_of([&] { source->read(1, example); }),
      HasSubstr("cannot read " + directory.path("train-00001-of-00002") + ": No such file"));
}

TEST(Formats, ATruncatedShardStopsTheRunUnlessItIsSkipped) {
  const TemporaryDirectory directory;
  write_text_shards(directory, {2, 2});
  const std::string shard = directory.path("train-00000-of-00002");
  std::filesystem::resize_file(shard, std::filesystem::file_size(shard) - 1);
  Damage stop;
  EXPECT_THAT(error_of([&] { opened(directory, stop); }), HasSubstr(shard + ", byte "));
  Damage skip(Damage::Answer::Skip);
  EXPECT_EQ(opened(directory, skip)->count(), 3);
  EXPECT_EQ(skip.skipped().files, 1);
  EXPECT_THAT(skip.skipped().lines.at(0), HasSubstr("truncated record, 1 bytes are missing"));
}

TEST(Formats, ADirectoryInPlaceOfAShardIsNoFile) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path("train-00000-of-00001"));
  Damage damage;
  EXPECT_THAT(error_of([&] { opened(directory, damage); }), HasSubstr("not a regular file"));
}

TEST(Formats, APipeInPlaceOfAShardIsNotWaitedFor) {
  const TemporaryDirectory directory;
  ASSERT_EQ(mkfifo(directory.path("train-00000-of-00001").c_str(), 0600), 0);
  Damage damage;
  EXPECT_THAT(error_of([&] { opened(directory, damage); }), HasSubstr("not a regular file"));
}

TEST(Formats, AnImageOfCifarIsNamedByItsFile) {
  const TemporaryDirectory directory;
  write_file(directory.path("data_batch_1.bin"), ByteBuffer(2 * 3073));
  write_file(directory.path("data_batch_2.bin"), ByteBuffer(100));  // no whole image
  write_file(directory.path("data_batch_3.bin"), ByteBuffer(2 * 3073));
  Damage damage(Damage::Answer::Skip);
  const auto source = opened(directory, damage);
  ASSERT_EQ(source->count(), 4);
  EXPECT_EQ(damage.skipped().files, 1);
  EXPECT_EQ(source->where(1), directory.path("data_batch_1.bin") + ", image 1");
  EXPECT_EQ(source->where(2), directory.path("data_batch_3.bin") + ", image 0");
}

TEST(Formats, MnistImagesWithoutPixelsAreRefused) {
  const TemporaryDirectory directory;
  write_file(directory.path("train-images-idx3-ubyte"), idx_file_of({2, 0, 28}, {}));
  write_file(directory.path("train-labels-idx1-ubyte"), idx_file_of({2}, ByteBuffer(2)));
  Damage damage;
  EXPECT_THAT(error_of([&] { opened(directory, damage); }), HasSubstr("have no pixels"));
}

TEST(Formats, MnistImagesAndLabelsMustMatch) {
  const TemporaryDirectory directory;
  write_file(directory.path("train-images-idx3-ubyte"), idx_file_of({2, 1, 1}, ByteBuffer(2)));
  write_file(directory.path("train-labels-idx1-ubyte"), idx_file_of({3}, ByteBuffer(3)));
  Damage damage;
  EXPECT_THAT(error_of([&] { opened(directory, damage); }), HasSubstr("2 images and 3 labels"));
}

}  // namespace
}  // namespace lockstep
