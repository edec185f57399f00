// `lockstep data` and `lockstep train --data-dir`, in this process, on data that is made here.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/directory_lock.h"
#include "config/json.h"
#include "data/pixels/jpeg_encode.h"
#include "data/samples.h"
#include "report/results/run_result.h"
#include "support/command_runs.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

Outcome train(const std::string& directory, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"train",
                                    "--model=lenet",
                                    "--batch-size=2",
                                    "--threads=1",
                                    "--num-batches=3",
                                    "--num-warmup-batches=1",
                                    "--data-threads=1",
                                    "--num-classes=11",
                                    "--init-learning-rate=1e-4",
                                    "--data-dir=" + directory};
  words.insert(words.end(), more.begin(), more.end());
  return run(words);
}

class DataCommands : public ::testing::Test {
 protected:
  void make(const std::string& name, int images = 12) const {
    const Outcome outcome =
        run({"data", "make", path(name), "--images", std::to_string(images), "--shards=3",
             "--validation=4", "--classes=10", "--height=48", "--width=64", "--threads=2"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  std::string path(const std::string& name) const { return directory_.path(name); }
  TemporaryDirectory directory_;
};

TEST_F(DataCommands, AGeneratedDataSetIsComplete) {
  make("set");
  EXPECT_TRUE(fs::exists(path("set/train-00002-of-00003")));
  const Outcome text = run({"data", "check", path("set")});
  EXPECT_EQ(text.code, 0) << text.out;
  EXPECT_THAT(text.out, HasSubstr("training: TFRecord files (imagenet), 12 examples"));
  EXPECT_THAT(text.out, HasSubstr("3 files of 4 to 4 examples"));
  const Json json = Json::parse(run({"data", "check", path("set"), "--json"}).out);
  EXPECT_EQ(json.at("training").at("damaged"), 0);
  EXPECT_EQ(json.at("validation").at("examples"), 4);
  EXPECT_EQ(json.at("training").at("labels").size(), 10u);
}

TEST_F(DataCommands, CheckFindsDamageAndEndsWithFailure) {
  make("set");
  const std::string shard = path("set/train-00001-of-00003");
  ByteBuffer bytes = read_file(shard);
  bytes[200] ^= 1;
  write_file(shard, bytes);
  const Outcome outcome = run({"data", "check", path("set")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out,
              HasSubstr("damaged: " + shard + ", byte 0: wrong checksum of the record"));
  EXPECT_THAT(outcome.out, HasSubstr("1 damaged"));
}

TEST_F(DataCommands, PackingResumesAfterAnInterrupt) {
  make("set");
  const std::string middle = path("set/train-00001-of-00003");
  const ByteBuffer before = read_file(middle);
  fs::remove(middle);
  write_file(path("set/.train-00001-of-00003.partial"), bytes_of("half"));
  const auto kept = fs::last_write_time(path("set/train-00000-of-00003"));
  make("set");
  EXPECT_EQ(read_file(middle), before);
  EXPECT_EQ(fs::last_write_time(path("set/train-00000-of-00003")), kept);
  EXPECT_FALSE(fs::exists(path("set/.train-00001-of-00003.partial")));
  const Outcome other = run({"data", "make", path("set"), "--images", "99"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("another packing ("));
  EXPECT_THAT(other.err, HasSubstr("); remove it or choose another directory\n")) << "one line";
}

TEST_F(DataCommands, AFileThatIsMissingIsNotedByTrainingAndFoundByCheck) {
  make("set");
  fs::remove(path("set/train-00001-of-00003"));
  const std::string words = "1 of 3 files is missing, first train-00001-of-00003\n";
  const Outcome check = run({"data", "check", path("set")});
  EXPECT_EQ(check.code, 1);
  EXPECT_THAT(check.out, HasSubstr("  " + words));
  const Json json = Json::parse(run({"data", "check", path("set"), "--json"}).out);
  EXPECT_EQ(json.at("training").at("missing_files"), 1);
  const Outcome trained = train(path("set"));
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("note: " + path("set") + ": " + words));
}

TEST_F(DataCommands, APackingThatFailsLeavesNothingHalfWritten) {
  write_file(path("folder/train/cat/1.jpg"), bytes_of("no JPEG"));
  const Outcome failed = run({"data", "pack", path("folder"), path("packed")});
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.err, HasSubstr("cat/1.jpg: not a JPEG"));
  for (const auto& entry : fs::directory_iterator(path("packed"))) {
    EXPECT_EQ(entry.path().filename(), ".packing-train");
  }
}

TEST_F(DataCommands, OneProcessAtATimePacksIntoADirectory) {
  fs::create_directory(path("set"));
  const DirectoryLock another(path("set"));
  const Outcome second = run({"data", "make", path("set"), "--images=1"});
  EXPECT_EQ(second.code, 2);
  EXPECT_EQ(second.err, "lockstep: another process is packing into " + path("set") + "\n");
  EXPECT_TRUE(fs::is_empty(path("set")));
}

// Packing knows only what training reads: boxes and names of classes would be lost.
TEST_F(DataCommands, TfrecordsAreNotPackedAgain) {
  make("set");
  const Outcome outcome = run({"data", "pack", path("set"), path("packed")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("already contains TFRecord files"));
}

TEST_F(DataCommands, AFinishedPackingLeavesNothingHidden) {
  make("set");
  for (const auto& entry : fs::directory_iterator(path("set"))) {
    EXPECT_FALSE(entry.path().filename().string().starts_with('.')) << entry.path();
  }
  EXPECT_TRUE(fs::exists(path("set/packed_train.txt")));
  fs::remove(path("set/packed_train.txt"));  // as if others had written the shards
  const Outcome beside = run({"data", "make", path("set"), "--images=12"});
  EXPECT_EQ(beside.code, 2);
  EXPECT_THAT(beside.err, HasSubstr("that lockstep did not pack"));
}

TEST_F(DataCommands, ADamagedExampleCountsOnceHoweverOftenItIsRead) {
  make("set", 6);
  const std::string shard = path("set/train-00001-of-00003");
  ByteBuffer bytes = read_file(shard);
  bytes[200] ^= 1;
  write_file(shard, bytes);
  const Outcome outcome = train(path("set"), {"--skip-corrupt", "--num-batches=20"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("note: skipped 1 damaged example\nskipped: " + shard +
                                     ", byte 0: wrong checksum of the record\n"));
}

TEST_F(DataCommands, DamagedFilesAreReportedEvenIfTheirNamesAreNotUtf8) {
  const ByteBuffer pixels(40 * 30 * 3, 90);
  write_file(path("folder/train/cat/1.jpg"), encode_jpeg({pixels.data(), 40, 30, 3, 90}));
  write_file(path("folder/train/cat/\xe9.jpg"), bytes_of("no JPEG"));
  const Json json = Json::parse(run({"data", "check", path("folder"), "--json"}).out);
  EXPECT_EQ(json.at("training").at("damaged"), 1);
  const Outcome trained = train(path("folder"), {"--skip-corrupt", "--result=" + path("r.json")});
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_EQ(read_result(path("r.json")).input.skipped, 1);
}

TEST_F(DataCommands, AFolderOfJpegsIsPackedWithLabelsFromOne) {
  const ByteBuffer pixels(40 * 30 * 3, 90);
  const ByteBuffer jpeg = encode_jpeg({pixels.data(), 40, 30, 3, 90});
  for (const char* name :
       {"train/cat/1.jpg", "train/cat/2.jpeg", "train/dog/3.JPG", "val/dog/4.jpg"}) {
    write_file(path(std::string("folder/") + name), jpeg);
  }
  const Outcome packed = run({"data", "pack", path("folder"), path("packed")});
  EXPECT_EQ(packed.code, 0) << packed.err;
  EXPECT_THAT(packed.err, HasSubstr("JPEG files by class"));
  const Json json = Json::parse(run({"data", "check", path("packed"), "--json"}).out);
  EXPECT_EQ(json.at("training").at("labels"), (Json{{"1", 2}, {"2", 1}}));
  EXPECT_EQ(json.at("validation").at("labels"), (Json{{"2", 1}}));
}

TEST_F(DataCommands, PackedMnistIsStillMnist) {
  write_file(path("mnist/train-images-idx3-ubyte"),
             idx_file_of({4, 28, 28}, ByteBuffer(4 * 28 * 28, 77)));
  write_file(path("mnist/train-labels-idx1-ubyte"), idx_file_of({4}, ByteBuffer{1, 2, 3, 4}));
  ASSERT_EQ(run({"data", "pack", path("mnist"), path("packed")}).code, 0);
  const Outcome outcome = train(path("packed"), {"--model=mnist", "--num-classes=10"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("--data-name mnist"));
}

TEST_F(DataCommands, BenchMeasuresEveryStage) {
  make("set");
  const Outcome outcome = run({"data", "bench", path("set"), "--json", "--milliseconds=1",
                               "--threads=2", "--image-size=32", "--batch-size=4"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::vector<std::pair<std::string, int>> measured;
  for (const Json& row : Json::parse(outcome.out)) {
    measured.emplace_back(row.at("stage"), row.at("threads"));
    for (const char* rate : {"images_per_second", "bytes_per_second", "images_per_core_second"}) {
      EXPECT_GT(row.at(rate).get<double>(), 0) << rate << " of " << row;
    }
  }
  EXPECT_THAT(measured, ElementsAre(Pair("read", 1), Pair("read", 2), Pair("decode", 1),
                                    Pair("decode", 2), Pair("augment", 1), Pair("augment", 2),
                                    Pair("pipeline", 1), Pair("pipeline", 2)));
}

TEST_F(DataCommands, TrainingOnStoredImagesSaysWhatItFound) {
  make("set");
  const Outcome outcome = train(path("set"), {"--result=" + path("r.json"), "--distortions"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("data: TFRecord files in " + path("set") + ": --data-name imagenet"));
  EXPECT_THAT(outcome.out, HasSubstr("Dataset:     imagenet\n"));
  const RunResult result = read_result(path("r.json"));
  EXPECT_EQ(result.input.threads, 1);
  EXPECT_GT(result.input.processor_seconds_per_image, 0);
}

TEST_F(DataCommands, TrainingTwiceOnTheSameDataGivesTheSameLoss) {
  make("set");
  std::vector<double> losses;
  for (const char* threads : {"--data-threads=1", "--data-threads=3"}) {
    ASSERT_EQ(train(path("set"), {threads, "--result=" + path("r.json")}).code, 0);
    losses.push_back(read_result(path("r.json")).last_loss);
  }
  EXPECT_EQ(losses[0], losses[1]);
}

TEST_F(DataCommands, BadDataIsOneLineAndAFailure) {
  fs::create_directories(path("empty"));
  const Outcome empty = train(path("empty"));
  EXPECT_EQ(empty.code, 2);
  EXPECT_EQ(empty.err, "lockstep: " + path("empty") + " is empty\n");
  const Outcome missing = train(path("missing"));
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("No such file"));
  make("set");
  const Outcome labels = train(path("set"), {"--num-classes=3"});
  EXPECT_EQ(labels.code, 1);
  EXPECT_THAT(labels.err, HasSubstr("the network has 3 classes, 0 to 2"));
  const Outcome skipped = train(path("set"), {"--num-classes=3", "--skip-corrupt"});
  EXPECT_EQ(skipped.code, 0) << skipped.err;
  EXPECT_THAT(skipped.err, HasSubstr("note: skipped "));
  EXPECT_EQ(train(path("set"), {"--data-name=cifar10"}).code, 2);
}

TEST_F(DataCommands, SyntheticImagesMayBeCopiedOrRegenerated) {
  // At a learning rate of zero, a loss tells of images and labels alone. Device and host draw new
  // labels for images that stay; the host has drawn once more, for the batch it copies from.
  const auto losses = [&](const std::string& place) {
    const Outcome outcome =
        run({"train", "--model=lenet", "--batch-size=2", "--threads=1", "--num-batches=4",
             "--num-warmup-batches=1", "--num-classes=11", "--init-learning-rate=0",
             "--result=" + path(place), "--synthetic-location=" + place});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::vector<double> found;
    for (const StepRecord& step : read_result(path(place)).steps) {
      found.push_back(step.losses.total_loss);
    }
    return found;
  };
  const std::vector<double> device = losses("device"), host = losses("host"),
                            pipeline = losses("pipeline");
  ASSERT_EQ(device.size(), 4u);
  EXPECT_EQ(std::vector(device.begin() + 1, device.end()),
            std::vector(host.begin(), host.end() - 1));
  for (const double loss : pipeline) EXPECT_THAT(device, Each(Not(DoubleNear(loss, 1e-6))));
}

TEST_F(DataCommands, WrongWordsAreUsageErrors) {
  EXPECT_EQ(run({"data"}).code, 2);
  EXPECT_EQ(run({"data", "--help"}).code, 0);
  EXPECT_THAT(run({"data", "unpack"}).err, HasSubstr("did you mean pack?"));
  EXPECT_THAT(run({"data", "sort"}).err, HasSubstr("pack, make, check, bench"));
  EXPECT_EQ(run({"data", "pack", "one"}).code, 2);
  EXPECT_EQ(run({"data", "make"}).code, 2);
  EXPECT_EQ(run({"data", "check"}).code, 2);
  EXPECT_THAT(run({"data", "pack", "--help"}).out,
              HasSubstr("Usage: lockstep data pack SOURCE TARGET [OPTION]...\n"));
  EXPECT_THAT(run({"data", "make", "x", "--quality=200"}).err, HasSubstr("from 1 to 100"));
  for (const char* name : {"pack", "make", "check", "bench"}) {
    EXPECT_EQ(run({"data", name, "--help"}).code, 0) << name;
    EXPECT_THAT(run({"data", name, "--help"}).out, Not(HasSubstr("[DIR]"))) << name;
  }
}

}  // namespace
}  // namespace lockstep
