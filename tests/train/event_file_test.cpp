// What is written for TensorBoard is read back, record by record.
#include "train/event_file.h"

#include <gmock/gmock.h>

#include "data/formats/list_directory.h"
#include "data/formats/protobuf.h"
#include "data/samples.h"

namespace lockstep {
namespace {

struct ReadEvent {
  double seconds = 0;
  uint64_t step = 0;
  std::string version;
  std::vector<std::pair<std::string, float>> scalars;
  bool starts = false;
};

std::pair<std::string, float> scalar_in(ByteView message) {
  std::pair<std::string, float> scalar;
  FieldReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1) scalar.first = text_of(field->bytes);
    if (field->number == 2) scalar.second = little_endian<float>(field->bytes);
  }
  return scalar;
}

ReadEvent event_in(ByteView message) {
  ReadEvent event;
  FieldReader reader(message);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        event.seconds = std::bit_cast<double>(little_endian<uint64_t>(field->bytes));
        break;
      case 2:
        event.step = field->varint;
        break;
      case 3:
        event.version = text_of(field->bytes);
        break;
      case 7:
        event.starts = text_of(field->bytes) == "\x08\x01";  // field 1, status START
        break;
      default:
        FieldReader summary(field->bytes);
        while (const auto value = summary.next()) event.scalars.push_back(scalar_in(value->bytes));
    }
  }
  return event;
}

std::vector<ReadEvent> events_in(const std::string& path) {
  const InputFile file(path);
  std::vector<ReadEvent> events;
  ByteBuffer buffer;
  for (int64_t offset = 0; offset < file.bytes();) {
    const RecordPlace place = record_at(file, offset);
    events.push_back(event_in(read_record(file, place, buffer)));
    offset = place.end();
  }
  return events;
}

TEST(EventFile, SaysItsVersionAndThenEveryScalarAtItsStep) {
  const TemporaryDirectory directory;
  EventFile file(directory.path("made/anew"));
  file.add(10, {{"loss/total", 2.5}, {"learning_rate", 0.125}});
  file.add(int64_t{1} << 40, {{"loss/total", -1}});
  const auto files = list_directory(directory.path("made/anew"));  // while it is still open
  ASSERT_EQ(files.size(), 1u);
  EXPECT_THAT(files[0].filename().string(), ::testing::StartsWith("events.out.tfevents."));
  const std::vector<ReadEvent> events = events_in(files[0].string());
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].version, "brain.Event:2");
  EXPECT_EQ(events[1].step, 10u);
  EXPECT_THAT(events[1].scalars, ::testing::ElementsAre(::testing::Pair("loss/total", 2.5F),
                                                        ::testing::Pair("learning_rate", 0.125F)));
  EXPECT_EQ(events[2].step, uint64_t{1} << 40);
  EXPECT_GT(events[2].seconds, 1.5e9);
}

// TensorBoard forgets what it knew of that step and later ones.
TEST(EventFile, OfAResumedRunNamesTheResumePoint) {
  const TemporaryDirectory directory;
  EventFile file(directory.path("s"));
  file.go_on_at(7);
  file.add(7, {{"loss/total", 1}});
  const std::vector<ReadEvent> events =
      events_in(list_directory(directory.path("s")).front().string());
  ASSERT_EQ(events.size(), 3u);
  EXPECT_TRUE(events[1].starts);
  EXPECT_EQ(events[1].step, 7u);
  EXPECT_FALSE(events[2].starts);
}

TEST(EventFile, APlaceThatCannotBeWrittenIsNamed) {
  const TemporaryDirectory directory;
  write_file(directory.path("file"), bytes_of("x"));
  EXPECT_THAT(error_of([&] { EventFile(directory.path("file/sub")); }),
              ::testing::HasSubstr("--summary-dir"));
}

}  // namespace
}  // namespace lockstep
