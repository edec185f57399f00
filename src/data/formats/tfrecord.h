// tfrecord.h: TFRecord files: byte strings one after the other, each between its length and
// checksums.
//
//   u64 length, u32 masked checksum of the length, the bytes, u32 masked checksum of the bytes
//
// All little-endian (TensorFlow's documentation, "TFRecord and tf.train.Example"). Both checksums
// are verified, and what is wrong is said with file and byte.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "data/formats/input_file.h"

namespace lockstep {

inline constexpr int64_t kRecordHeadBytes = 12, kRecordTailBytes = 4;
// Longer ones are taken for damage: no example is near, and memory is asked for before reading.
inline constexpr int64_t kLongestRecordBytes = int64_t{1} << 30;

struct RecordPlace {
  int64_t offset = 0;  // of the length
  int64_t bytes = 0;   // of the record itself

  int64_t end() const { return offset + kRecordHeadBytes + bytes + kRecordTailBytes; }
};

// The record that begins at `offset`, by its head alone. Throws Error when the head is damaged or
// the file ends inside of the record.
RecordPlace record_at(const InputFile& file, int64_t offset);

// Its bytes; `buffer` is grown when needed and keeps its memory. Throws Error when the checksum is
// wrong.
ByteView read_record(const InputFile& file, const RecordPlace& place, ByteBuffer& buffer);

// The record at the beginning of `bytes`: for what is in memory already. `name` and `offset` say in
// errors where that is. Throws Error.
ByteView record_in(ByteView bytes, const std::string& name, int64_t offset);

class RecordWriter {
 public:
  explicit RecordWriter(const std::string& path);  // throws Error; replaces what is there
  RecordPlace write(ByteView record);
  void flush();   // whoever reads the file sees all of it
  void finish();  // on disk, or Error

 private:
  void put(ByteView bytes);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  int64_t offset_ = 0;
};

}  // namespace lockstep
