// Every validation example counts once, whatever the number of ranks and the size of batches.
#include <gmock/gmock.h>

#include <map>

#include "data/pipeline/validation_set.h"
#include "data/samples.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

// Example i is all of brightness 10 i; labels are 0 to 9, over and over.
void write_digits(const TemporaryDirectory& directory, const std::string& part, int count) {
  ByteBuffer pixels, labels;
  for (int i = 0; i < count; ++i) {
    pixels.insert(pixels.end(), 28 * 28, static_cast<uint8_t>(10 * i));
    labels.push_back(static_cast<uint8_t>(i % 10));
  }
  const auto n = static_cast<uint32_t>(count);
  write_file(directory.path(part + "-images-idx3-ubyte"), idx_file_of({n, 28, 28}, pixels));
  write_file(directory.path(part + "-labels-idx1-ubyte"), idx_file_of({n}, labels));
}

InputSpec spec_of(const TemporaryDirectory& directory) {
  return {.image = {1, 28, 28}, .batch = 4, .classes = 10, .directory = directory.path().string()};
}

// How often each brightness came with a label, over all ranks.
std::map<float, int> seen(InputSpec spec, int ranks, double epochs = 1) {
  std::map<float, int> count;
  for (spec.ranks = ranks, spec.rank = 0; spec.rank < ranks; ++spec.rank) {
    const ValidationSet set(spec, {.epochs = epochs});
    const auto pass = set.pass();
    for (int64_t i = 0; i < set.batches(); ++i) {
      const Batch& batch = pass->next();
      for (size_t place = 0; place < batch.labels.size(); ++place) {
        if (batch.labels[place] != kNoLabel) ++count[batch.images[place * 28 * 28]];
      }
    }
  }
  return count;
}

TEST(Validation, EveryExampleComesOnceOverAllRanks) {
  const TemporaryDirectory directory;
  write_digits(directory, "train", 3);
  for (const int examples : {1, 4, 11, 16, 25}) {
    write_digits(directory, "t10k", examples);
    for (const int ranks : {1, 2, 3, 7}) {
      const std::map<float, int> count = seen(spec_of(directory), ranks);
      EXPECT_EQ(count.size(), static_cast<size_t>(examples)) << ranks;
      for (const auto& [brightness, times] : count) EXPECT_EQ(times, 1) << brightness;
    }
  }
}

TEST(Validation, EpochsAreARatioOfAllExamples) {
  const TemporaryDirectory directory;
  write_digits(directory, "t10k", 10);
  for (const int ranks : {1, 2, 3}) {
    EXPECT_EQ(seen(spec_of(directory), ranks, 0.5).size(), 5u);
    const std::map<float, int> more = seen(spec_of(directory), ranks, 1.5);
    int all = 0;
    for (const auto& [brightness, times] : more) all += times;
    EXPECT_EQ(more.size(), 10u);
    EXPECT_EQ(all, 15) << ranks;
  }
}

TEST(Validation, EpochsOfSyntheticExamplesCountThoseOfTheDataSet) {
  const InputSpec spec = {.image = {1, 4, 4}, .batch = 2, .synthetic_labels = 10};
  const ValidationSet set(spec, {.epochs = 100.0 / 50000, .synthetic_examples = 50000});
  EXPECT_EQ(set.batches(), 50);
}

TEST(Validation, EveryPassBeginsWithTheFirst) {
  const TemporaryDirectory directory;
  write_digits(directory, "t10k", 9);
  const ValidationSet set(spec_of(directory), {.most_batches = 1});
  EXPECT_EQ(set.batches(), 1);
  for (int pass = 0; pass < 2; ++pass) {
    const auto input = set.pass();
    const Batch& batch = input->next();
    EXPECT_EQ(std::vector<int32_t>(batch.labels.begin(), batch.labels.end()),
              (std::vector<int32_t>{0, 1, 2, 3}));
  }
}

TEST(Validation, ASkippedExampleCountsNowhere) {
  const TemporaryDirectory directory;
  write_digits(directory, "t10k", 6);
  InputSpec spec = spec_of(directory);
  spec.classes = 4;  // so the labels 4 and 5 are damage
  EXPECT_THAT(error_of([&] { seen(spec, 1); }), HasSubstr("label"));
  spec.skip_corrupt = true;
  EXPECT_EQ(seen(spec, 2).size(), 4u);
}

TEST(Validation, WithoutValidationDataThereIsNone) {
  const TemporaryDirectory directory;
  write_digits(directory, "train", 3);
  EXPECT_THAT(error_of([&] { ValidationSet(spec_of(directory), {}); }), HasSubstr("validation"));
}

TEST(Validation, SyntheticExamplesAreNotThoseOfTraining) {
  InputSpec spec = {.image = {1, 4, 4}, .batch = 2, .seed = 3, .synthetic_labels = 10};
  const ValidationSet set(spec, {.most_batches = 5});
  EXPECT_EQ(set.batches(), 5);
  EXPECT_NE(set.pass()->next().images[0], make_input(spec)->next().images[0]);
}

}  // namespace
}  // namespace lockstep
