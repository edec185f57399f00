// Containers and records: what is written is read back, and damage is found where it is.
#include <gmock/gmock.h>
#include <zlib.h>

#include <numeric>

#include "data/formats/cifar.h"
#include "data/formats/crc32c.h"
#include "data/formats/example_proto.h"
#include "data/formats/gzip.h"
#include "data/formats/idx.h"
#include "data/formats/pickle.h"
#include "data/samples.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

ByteBuffer counting(size_t count) {
  ByteBuffer bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(i * 31 + i / 256);
  return bytes;
}

TEST(Crc32c, GivesThePublishedValues) {  // RFC 3720, B.4
  EXPECT_EQ(crc32c(ByteBuffer(32, 0x00)), 0x8a9136aau);
  EXPECT_EQ(crc32c(ByteBuffer(32, 0xff)), 0x62a8ab43u);
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xe3069283u);
}

TEST(Crc32c, TheInstructionAndTheTablesAgreeOnEveryLength) {
  const ByteBuffer bytes = counting(40000);
  for (const size_t length :
       {0u, 1u, 7u, 8u, 100u, 4096u, 12287u, 12288u, 12289u, 24999u, 40000u}) {
    const ByteView part = ByteView(bytes).first(length);
    EXPECT_EQ(crc32c(part), crc32c_by_tables(part)) << length;
    const ByteView shifted =
        ByteView(bytes).subspan(std::min<size_t>(3, bytes.size() - length), length);
    EXPECT_EQ(crc32c(shifted), crc32c_by_tables(shifted)) << length;
  }
}

class Tfrecord : public ::testing::Test {
 protected:
  Tfrecord() {
    RecordWriter writer(path_);
    for (const size_t length : {0u, 5u, 70000u}) writer.write(counting(length));
    writer.finish();
  }
  std::string error_after_change(size_t at, uint8_t flip) const {
    ByteBuffer bytes = read_file(path_);
    bytes[at] ^= flip;
    write_file(path_, bytes);
    return error_of([&] { read_all(); });
  }
  std::vector<ByteBuffer> read_all() const {
    std::vector<ByteBuffer> records;
    const InputFile file(path_);
    ByteBuffer buffer;
    for (int64_t offset = 0; offset < file.bytes();) {
      const RecordPlace place = record_at(file, offset);
      const ByteView record = read_record(file, place, buffer);
      records.emplace_back(record.begin(), record.end());
      offset = place.end();
    }
    return records;
  }
  TemporaryDirectory directory_;
  std::string path_ = directory_.path("train-00000-of-00001");
};

TEST_F(Tfrecord, WrittenRecordsAreReadBack) {
  EXPECT_EQ(read_all(), (std::vector<ByteBuffer>{{}, counting(5), counting(70000)}));
}

TEST_F(Tfrecord, HasTheLayoutThatTensorFlowWrites) {
  // Written by hand: length 5, its masked checksum, and so on.
  const ByteBuffer bytes = read_file(path_);
  EXPECT_EQ(little_endian<uint64_t>(ByteView(bytes).subspan(16)), 5u);
  EXPECT_EQ(bytes.size(), 3 * 16 + 5 + 70000u);
}

TEST_F(Tfrecord, AFlippedBitIsFoundInLengthRecordAndChecksums) {
  EXPECT_THAT(error_after_change(16, 1), HasSubstr("byte 16: wrong checksum of the record length"));
  error_after_change(16, 1);  // back
  EXPECT_THAT(error_after_change(24, 4), HasSubstr("byte 16: wrong checksum of the record length"));
  error_after_change(24, 4);
  EXPECT_THAT(error_after_change(30, 8), HasSubstr("byte 16: wrong checksum of the record"));
  error_after_change(30, 8);
  EXPECT_THAT(error_after_change(33, 8), HasSubstr("byte 16: wrong checksum of the record"));
}

TEST_F(Tfrecord, ATruncatedFileIsNamedWithTheByteWhereTheLastRecordBegins) {
  std::filesystem::resize_file(path_, 1000);
  const std::string error = error_of([&] { read_all(); });
  EXPECT_THAT(error, HasSubstr(path_ + ", byte 37: truncated record, 69053 bytes are missing"));
  std::filesystem::resize_file(path_, 40);
  EXPECT_THAT(error_of([&] { read_all(); }), HasSubstr("byte 37: truncated record header"));
}

TEST_F(Tfrecord, ARecordInMemoryIsCheckedLikeOneInAFile) {
  const ByteBuffer bytes = read_file(path_);
  EXPECT_EQ(record_in(ByteView(bytes).subspan(16), "memory", 16).size(), 5u);
  EXPECT_THAT(error_of([&] { record_in(ByteView(bytes).first(20), "memory", 0); }), "");
  EXPECT_THAT(error_of([&] { record_in(ByteView(bytes).subspan(16, 20), "memory", 16); }),
              HasSubstr("memory, byte 16: truncated record"));
}

TEST(ExampleProto, FeaturesOfAllKindsComeBack) {
  ExampleBuilder builder;
  builder.add("text", std::string_view("hello"));
  builder.add("numbers", std::vector<int64_t>{1, -1, 1000000});
  builder.add("reals", std::vector<float>{0.5f, -2});
  const ByteBuffer record = builder.finish();
  const Features features = features_in(record);
  ASSERT_EQ(features.size(), 3u);
  EXPECT_EQ(text_of(features.at("text").byte_strings().at(0)), "hello");
  EXPECT_EQ(features.at("numbers").integers(), (std::vector<int64_t>{1, -1, 1000000}));
  EXPECT_EQ(features.at("reals").floats(), (std::vector<float>{0.5f, -2}));
  EXPECT_THAT(error_of([&] { features.at("reals").integers(); }),
              HasSubstr("not a list of integers"));
}

TEST(ExampleProto, UnpackedListsAreReadToo) {
  // Feature "n" with int64_list { value: 3 value: 4 }, one field per value.
  const uint8_t bytes[] = {0x0a, 0x0d, 0x0a, 0x0b, 0x0a, 0x01, 'n', 0x12,
                           0x06, 0x1a, 0x04, 0x08, 0x03, 0x08, 0x04};
  EXPECT_EQ(features_in(bytes).at("n").integers(), (std::vector<int64_t>{3, 4}));
}

TEST(ExampleProto, EveryTruncationIsAnErrorOrLessData) {
  const ByteBuffer record = image_record_of(
      {.jpeg = bytes_of("jpeg"), .label = 7, .class_name = "cat", .file_name = "a.jpg"});
  for (size_t length = 0; length < record.size(); ++length) {
    EXPECT_NE(error_of([&] { image_record_in(ByteView(record).first(length)); }), "") << length;
  }
}

TEST(ImageRecord, AMissingFeatureIsNamed) {
  ExampleBuilder builder;
  builder.add("image/encoded", std::string_view("x"));
  EXPECT_THAT(error_of([&] { image_record_in(builder.finish()); }),
              HasSubstr("no feature image/class/label"));
  builder.add("image/class/label", std::string_view("three"));
  EXPECT_THAT(error_of([&] { image_record_in(builder.finish()); }),
              HasSubstr("feature image/class/label: not a list of integers"));
}

TEST(ImageRecord, BoxesAreReadAndImpossibleOnesLeftOut) {
  ExampleBuilder builder;
  builder.add("image/encoded", std::string_view("x"));
  builder.add("image/class/label", std::vector<int64_t>{3});
  builder.add("image/object/bbox/ymin", std::vector<float>{0.1f, 0.9f});
  builder.add("image/object/bbox/xmin", std::vector<float>{0.2f, 0.2f});
  builder.add("image/object/bbox/ymax", std::vector<float>{0.3f, 0.3f});
  builder.add("image/object/bbox/xmax", std::vector<float>{0.4f, 0.4f});
  const ByteBuffer record = builder.finish();
  const ImageRecord image = image_record_in(record);
  ASSERT_EQ(image.boxes.size(), 1u);
  EXPECT_EQ(image.boxes[0].bottom, 0.3f);
}

ByteBuffer gzipped(ByteView bytes) {
  ByteBuffer out(compressBound(bytes.size()) + 64);
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = const_cast<uint8_t*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(Idx, PlainAndCompressedFilesGiveTheSameArray) {
  const ByteBuffer file = idx_file_of({5, 4, 3}, counting(60));
  for (const ByteBuffer& form : {file, gzipped(file)}) {
    const IdxArray array = idx_array_in(form);
    EXPECT_EQ(array.extents, (std::vector<int64_t>{5, 4, 3}));
    EXPECT_EQ(array.elements, counting(60));
  }
}

TEST(Idx, DamageIsReported) {
  const ByteBuffer file = idx_file_of({5, 4}, counting(19));
  EXPECT_THAT(error_of([&] { idx_array_in(file); }),
              HasSubstr("header gives 20 bytes of elements"));
  EXPECT_THAT(error_of([&] { idx_array_in(ByteView(file).first(9)); }),
              HasSubstr("truncated header"));
  EXPECT_THAT(error_of([&] { idx_array_in(bytes_of("GIF89a")); }), HasSubstr("not an IDX file"));
  EXPECT_THAT(error_of([&] {
                idx_array_in(idx_file_of({~0u, ~0u, ~0u}, {}));
              }),
              HasSubstr("header gives more than"));
  const ByteBuffer zipped = gzipped(idx_file_of({5, 4}, counting(20)));
  EXPECT_THAT(error_of([&] { idx_array_in(ByteView(zipped).first(20)); }), HasSubstr("truncated"));
  ByteBuffer broken = zipped;
  broken[broken.size() - 6] ^= 1;  // its checksum
  EXPECT_THAT(error_of([&] { idx_array_in(broken); }), HasSubstr("damaged"));
}

TEST(Gzip, ASmallFileDoesNotBecomeLargerThanAllowed) {
  const ByteBuffer zeros(10 << 20), bomb = gzipped(zeros);
  EXPECT_LT(bomb.size(), zeros.size() / 100);
  EXPECT_THAT(error_of([&] { gunzip(bomb, 1 << 20); }),
              HasSubstr("larger than 1.0 MB when decompressed"));
  EXPECT_EQ(gunzip(bomb, 10 << 20).size(), zeros.size());
}

TEST(Cifar, BinaryAndPickleHoldTheSameImages) {
  const ByteBuffer planes = counting(2 * 3072);
  ByteBuffer binary = {3};
  binary.insert(binary.end(), planes.begin(), planes.begin() + 3072);
  binary.push_back(9);
  binary.insert(binary.end(), planes.begin() + 3072, planes.end());
  LabelledImages from_binary = {.image = cifar_image(), .pixels = {}, .labels = {}};
  LabelledImages from_pickle = from_binary;
  add_cifar_binary(binary, from_binary);
  add_cifar_pickle(cifar_pickle({3, 9}, planes), from_pickle);
  EXPECT_EQ(from_binary.labels, (std::vector<uint8_t>{3, 9}));
  EXPECT_EQ(from_pickle.labels, from_binary.labels);
  EXPECT_EQ(from_pickle.pixels, from_binary.pixels);
  EXPECT_EQ(from_binary.pixels_of(1)[3 * 5 + 2], planes[3072 + 2 * 1024 + 5]);  // blue of pixel 5
  EXPECT_THAT(error_of([&] { add_cifar_binary(ByteView(binary).first(3072), from_binary); }),
              HasSubstr("not a multiple of"));
}

TEST(Pickle, NeverExecutesCalls) {
  const std::string bomb = "cposix\nsystem\n(S'true'\ntR.";
  EXPECT_THAT(error_of([&] { read_pickle(bytes_of(bomb)); }),
              HasSubstr("Python object posix.system is not supported"));
  EXPECT_THAT(error_of([&] { read_pickle(bytes_of("\x80\x04\x8c\x02os\x8c\x06system\x93.")); }),
              HasSubstr("os.system"));
  EXPECT_THAT(error_of([&] { read_pickle(bytes_of("(i__main__\nX\n.")); }),
              HasSubstr("is not supported; only plain data is"));
}

TEST(Pickle, CyclesAndDeepNestingAreReadAsData) {
  EXPECT_EQ(error_of([&] {
              read_pickle(
                  bytes_of("]q\x01h\x01"
                           "a."));
            }),
            "");
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "(";
  deep += "]";
  for (int i = 0; i < 100000; ++i) deep += "l";
  EXPECT_EQ(error_of([&] { read_pickle(bytes_of(deep + ".")); }), "");
}

TEST(Pickle, ItsMemoryIsBounded) {
  const std::string many(400'001, ']'), marks(400'001, '(');
  std::string references = "]p0\n";
  for (int i = 0; i < 400'001; ++i) references += "g0\n";
  EXPECT_THAT(error_of([&] { read_pickle(bytes_of(many)); }), HasSubstr("more than 400000 values"));
  EXPECT_THAT(error_of([&] { read_pickle(bytes_of(references)); }),
              HasSubstr("more than 400000 values"));
  EXPECT_THAT(error_of([&] { read_pickle(bytes_of(marks)); }), HasSubstr("more than 400000 marks"));
  EXPECT_THAT(error_of([&] { read_pickle(bytes_of("]p400001\n")); }),
              HasSubstr("memo index 400001 is too large"));
}

TEST(Pickle, EveryTruncationOfABatchIsAnError) {
  const ByteBuffer pickle = cifar_pickle({1}, counting(3072));
  for (size_t length = 0; length < pickle.size(); ++length) {
    LabelledImages images = {.image = cifar_image(), .pixels = {}, .labels = {}};
    EXPECT_NE(error_of([&] { add_cifar_pickle(ByteView(pickle).first(length), images); }), "")
        << length;
  }
}

}  // namespace
}  // namespace lockstep
