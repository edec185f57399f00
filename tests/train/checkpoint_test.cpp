// Checkpoints: what is written is read; what was damaged is found.
#include "train/checkpoint.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "data/samples.h"
#include "train/checkpoint_files.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Checkpoint sample(int64_t step = 12) {
  return Checkpoint({.model = "lenet",
                     .dataset = "mnist",
                     .optimizer = "momentum",
                     .step = step,
                     .examples = 768,
                     .optimizer_steps = 12,
                     .sum_of_squares = 0.1,
                     .convolutions = ""},
                    {{"values/w", {2, 3}}, {"statistics/m", {2}}, {"carried/momentum/w", {2, 3}}},
                    [](size_t tensor, std::span<float> out) {
                      for (float& x : out) x = static_cast<float>(tensor) + 0.5F;
                    });
}

Memory copy_of(const Memory& memory, int64_t bytes) {
  Memory copy(bytes);
  std::copy_n(memory.data(), std::min(bytes, memory.bytes()), copy.data());
  return copy;
}

TEST(Checkpoint, HoldsWhatWasPutIn) {
  const Checkpoint written = sample();
  const Checkpoint read(copy_of(written.memory(), written.memory().bytes()));
  EXPECT_EQ(read.facts(), written.facts());
  EXPECT_THAT(read.floats("statistics/m", 2), ElementsAre(1.5F, 1.5F));
  EXPECT_EQ(read.floats("carried/momentum/w", 6)[5], 2.5F);
  EXPECT_THAT(error_of([&] { read.floats("values/w", 7); }), HasSubstr("6 elements instead of 7"));
  EXPECT_THAT(error_of([&] { read.floats("values/v", 6); }),
              HasSubstr("tensor values/v is missing"));
}

Checkpoint reread(const CheckpointFacts& facts) {
  const Checkpoint written(facts, {}, {});
  return Checkpoint(copy_of(written.memory(), written.memory().bytes()));
}

TEST(Checkpoint, OfADivergedRunCanBeRead) {
  for (const double sum : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    CheckpointFacts facts;
    facts.sum_of_squares = sum;
    EXPECT_EQ(reread(facts).facts().sum_of_squares, -1);
  }
}

TEST(Checkpoint, WithACountBelowZeroIsRefused) {
  for (int64_t CheckpointFacts::*count :
       {&CheckpointFacts::step, &CheckpointFacts::examples, &CheckpointFacts::optimizer_steps}) {
    CheckpointFacts facts;
    facts.*count = -1;
    EXPECT_THAT(error_of([&] { reread(facts); }), HasSubstr("a count is below 0"));
  }
}

TEST(Checkpoint, EveryFlippedBitIsFound) {
  const Memory whole = copy_of(sample().memory(), sample().memory().bytes());
  for (int64_t at = 0; at < whole.bytes(); ++at) {
    for (const int bit : {0, 7}) {
      Memory damaged = copy_of(whole, whole.bytes());
      damaged.data()[at] ^= std::byte{1} << bit;
      EXPECT_NE(error_of([&] { Checkpoint read(std::move(damaged)); }), "") << at;
    }
  }
}

TEST(Checkpoint, EveryTornFileIsFound) {
  const Checkpoint whole = sample();
  for (int64_t bytes = 0; bytes < whole.memory().bytes() + 80; ++bytes) {
    if (bytes == whole.memory().bytes()) continue;
    EXPECT_NE(error_of([&] { Checkpoint read(copy_of(whole.memory(), bytes)); }), "") << bytes;
  }
}

struct CheckpointFiles : ::testing::Test {
  std::vector<int64_t> steps() const {
    std::vector<int64_t> found;
    for (const CheckpointFile& file : list_checkpoints(directory.path().string())) {
      found.push_back(file.step);
    }
    return found;
  }
  std::optional<FoundCheckpoint> newest() {
    return newest_checkpoint(directory.path().string(),
                             [this](const std::string& line) { told.push_back(line); });
  }
  void cut(const std::string& name, int64_t bytes) const {
    std::filesystem::resize_file(directory.path(name), static_cast<uintmax_t>(bytes));
  }

  TemporaryDirectory directory;
  std::vector<std::string> told;
};

TEST_F(CheckpointFiles, TheNewestAreKept) {
  CheckpointWriter writer(directory.path().string(), 3);
  for (const int step : {2, 4, 8, 16, 100}) writer.write(sample(step));
  EXPECT_THAT(steps(), ElementsAre(8, 16, 100));
  EXPECT_EQ(newest()->checkpoint.facts().step, 100);
  CheckpointWriter(directory.path().string(), 0).write(sample(101));
  EXPECT_THAT(steps(), ElementsAre(8, 16, 100, 101));
}

TEST_F(CheckpointFiles, TheOneJustWrittenIsKeptEvenIfADamagedOneIsNewer) {
  CheckpointWriter writer(directory.path().string(), 2);
  for (const int step : {10, 20, 90, 100}) writer.write(sample(step));
  cut("model.ckpt-90", 0);
  cut("model.ckpt-100", 200);
  for (const int step : {30, 40, 50}) writer.write(sample(step));
  EXPECT_THAT(steps(), ElementsAre(40, 50, 90, 100));
  EXPECT_EQ(newest()->checkpoint.facts().step, 50);
}

TEST_F(CheckpointFiles, ATornOneIsIgnoredWithAWarning) {
  CheckpointWriter writer(directory.path().string(), 5);
  for (const int step : {1, 2, 3}) writer.write(sample(step));
  cut("model.ckpt-3", 200);
  cut("model.ckpt-2", 0);
  EXPECT_EQ(newest()->checkpoint.facts().step, 1);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_THAT(told[0], HasSubstr("model.ckpt-3: 200 bytes instead of"));
  EXPECT_THAT(told[1], HasSubstr("model.ckpt-2: not a checkpoint"));
}

TEST_F(CheckpointFiles, IfNoneIsReadableNothingIsRemoved) {
  CheckpointWriter(directory.path().string(), 5).write(sample(3));
  cut("model.ckpt-3", 20);
  EXPECT_THAT(error_of([&] { newest(); }), HasSubstr("remove them to start from the beginning"));
}

// A run that goes on removes old ones while somebody else looks for the newest.
TEST_F(CheckpointFiles, OneThatIsRemovedMeanwhileIsNotAnError) {
  CheckpointWriter writer(directory.path().string(), 5);
  for (const int step : {9, 10}) writer.write(sample(step));
  cut("model.ckpt-10", 200);
  const auto found = newest_checkpoint(directory.path().string(), [&](const std::string& line) {
    told.push_back(line);
    std::filesystem::remove(directory.path("model.ckpt-9"));
    writer.write(sample(11));
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->checkpoint.facts().step, 11);
  EXPECT_EQ(told.size(), 1u);
}

TEST_F(CheckpointFiles, AnUnreadableDirectoryIsNotTakenForAnEmptyOne) {
  EXPECT_THAT(error_of([] { newest_checkpoint(std::string(5000, 'x'), {}); }),
              HasSubstr("cannot read directory xxx"));
}

TEST_F(CheckpointFiles, OneRunAtATimeTrainsInADirectory) {
  const DirectoryLock lock = lock_train_dir(directory.path().string());
  EXPECT_FALSE(lock.is_elsewhere());
  EXPECT_TRUE(DirectoryLock(directory.path().string()).is_elsewhere());
}

TEST_F(CheckpointFiles, NoneIsNotAnError) {
  EXPECT_FALSE(newest().has_value());
  EXPECT_FALSE(newest_checkpoint(directory.path("nowhere"), {}).has_value());
}

TEST_F(CheckpointFiles, ANamedOneIsTakenAndNoOther) {
  CheckpointWriter writer(directory.path().string(), 5);
  for (const int step : {1, 2}) writer.write(sample(step));
  EXPECT_EQ(newest_checkpoint(directory.path("model.ckpt-1"), {})->checkpoint.facts().step, 1);
}

TEST_F(CheckpointFiles, OnlyHalfWrittenFilesOfAKilledRunAreRemoved) {
  const std::string half = directory.path("model.ckpt-7.Ab3dE9.part");
  const char* const others[] = {"model.ckpt-7.backup", "model.ckpt-7.Ab3dE9", "model.ckpt-7.part",
                                "notes.Ab3dE9.part", "notes.txt"};
  write_file(half, bytes_of("half"));
  for (const char* other : others) write_file(directory.path(other), bytes_of("mine"));
  const CheckpointWriter writer(directory.path().string(), 5);
  EXPECT_TRUE(std::filesystem::exists(half));  // so far it only looked
  writer.remove_half_written();
  EXPECT_FALSE(std::filesystem::exists(half));
  for (const char* other : others) {
    EXPECT_TRUE(std::filesystem::exists(directory.path(other))) << other;
  }
  EXPECT_TRUE(steps().empty());
}

TEST_F(CheckpointFiles, APlaceThatCannotBeWrittenIsSaidAtOnce) {
  write_file(directory.path("file"), bytes_of("x"));
  EXPECT_THAT(error_of([&] { CheckpointWriter(directory.path("file/sub"), 5); }),
              HasSubstr("--train-dir"));
}

}  // namespace
}  // namespace lockstep
