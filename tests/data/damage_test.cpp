// What is damaged, missing or different is counted and named.
#include "data/formats/damage.h"

#include <gmock/gmock.h>

#include "data/formats/contents.h"
#include "data/formats/data_formats.h"
#include "data/formats/missing_shards.h"
#include "data/pipeline/pack.h"
#include "data/samples.h"
#include "support/file_size_limit.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Damage, SeveralRanksCountEveryExampleAndFileOnce) {
  Damage first(Damage::Answer::Skip), second(Damage::Answer::Skip);
  for (Damage* damage : {&first, &second}) {
    damage->met(Error("f: cut"));
    damage->met(Error("f, byte 5: bad"), 7);
    damage->met(Error("f, byte 5: bad"), 7);
  }
  second.met(Error("f, byte 1: bad"), 3);
  EXPECT_EQ(first.count(), 2);
  const Skipped all = joined(joined({}, first.skipped()), second.skipped());
  EXPECT_THAT(all.examples, ElementsAre(3, 7));
  EXPECT_EQ(all.files, 1);
  EXPECT_EQ(all.count(), 3);
  EXPECT_THAT(all.lines, ElementsAre("f: cut", "f, byte 5: bad", "f, byte 1: bad"));
}

TEST(Damage, ANameOfAFileCommandsNoTerminal) {
  Damage damage(Damage::Answer::Skip);
  damage.met(Error("a\x1b[2J.jpg: premature end"));
  EXPECT_EQ(damage.skipped().lines.at(0), "a?[2J.jpg: premature end");
}

TEST(Damage, ManyDamagedExamplesGiveFewLines) {
  Damage damage(Damage::Answer::Skip), other(Damage::Answer::Skip);
  for (int i = 0; i < 1000; ++i) damage.met(Error("example {}", i), i);
  for (int i = 0; i < 1000; ++i) other.met(Error("other {}", i), 1000 + i);
  const Skipped all = joined(damage.skipped(), other.skipped());
  EXPECT_EQ(all.examples.size(), 2000u);
  EXPECT_LE(all.lines.size(), 20u);
}

TEST(Damage, AWriteErrorIsNotDamage) {
  const TemporaryDirectory directory;
  Damage damage(Damage::Answer::Skip);
  const PackJob job = {.directory = directory.path("packed"),
                       .examples = 3,
                       .description = "large ones",
                       .make = [](int64_t) {
                         PackedExample example;
                         example.jpeg.resize(100000);
                         return example;
                       }};
  std::string error;
  {
    const FileSizeLimit limit(50000);
    error = error_of([&] { pack(job, damage, [](int64_t, int64_t) { return true; }); });
  }
  EXPECT_THAT(error, HasSubstr("cannot write "));
  EXPECT_EQ(damage.count(), 0);
}

TEST(MissingShards, AreCountedAndTheFirstIsNamed) {
  const TemporaryDirectory directory;
  write_text_shards(directory, {1, 1, 1, 1});
  EXPECT_EQ(words_for(missing_shards(directory.path(), Split::Training)), "");
  std::filesystem::remove(directory.path("train-00001-of-00004"));
  EXPECT_EQ(words_for(missing_shards(directory.path(), Split::Training)),
            "1 of 4 files is missing, first train-00001-of-00004");
  std::filesystem::remove(directory.path("train-00000-of-00004"));
  EXPECT_EQ(words_for(missing_shards(directory.path(), Split::Training)),
            "2 of 4 files are missing, first train-00000-of-00004");
  EXPECT_EQ(missing_shards(directory.path(), Split::Validation).count, 0);
}

TEST(MissingShards, OtherFileNamesAreIgnored) {
  const TemporaryDirectory directory;
  for (const char* name :
       {"train-1-of-many", "train-of-3", "train-7-of-3", "train--of-", "train-a-of-2"}) {
    write_file(directory.path(name), {});
  }
  EXPECT_EQ(missing_shards(directory.path(), Split::Training).count, 0);
}

TEST(Contents, TwoCopiesAreEqualUntilOneLacksAFile) {
  const TemporaryDirectory first, second;
  for (const TemporaryDirectory* copy : {&first, &second}) write_text_shards(*copy, {2, 2, 2});
  const auto contents = [](const TemporaryDirectory& directory) {
    Damage damage(Damage::Answer::Skip);
    return contents_of(*open_examples({.directory = directory.path(), .damage = damage}));
  };
  const std::string whole = contents(first);
  EXPECT_THAT(whole, HasSubstr("6 examples in 3 files ("));
  EXPECT_EQ(contents(second), whole);
  std::filesystem::remove(first.path("train-00000-of-00003"));
  std::filesystem::remove(second.path("train-00001-of-00003"));
  EXPECT_THAT(contents(first), HasSubstr("4 examples in 2 files ("));
  EXPECT_NE(contents(first), contents(second));
}

}  // namespace
}  // namespace lockstep
