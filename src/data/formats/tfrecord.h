// tfrecord.h: reads and writes TFRecord files: byte strings with length and checksums.
//
//   u64 length, u32 masked checksum of the length, the bytes, u32 masked checksum of the bytes
//
// All little-endian (TensorFlow's documentation, "TFRecord and tf.train.Example"). Both checksums
// are verified; errors name file and byte.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "data/formats/input_file.h"

namespace lockstep {

inline constexpr int64_t kRecordHeadBytes = 12, kRecordTailBytes = 4;
// Longer records count as damage: no example is near this size, and memory is allocated first.
inline constexpr int64_t kLongestRecordBytes = int64_t{1} << 30;

struct RecordPlace {
  int64_t offset = 0;  // of the length
  int64_t bytes = 0;   // of the record itself

  int64_t end() const { return offset + kRecordHeadBytes + bytes + kRecordTailBytes; }
};

// The record that begins at `offset`; reads only its header. Throws Error if the header is damaged
// or the record is truncated.
RecordPlace record_at(const InputFile& file, int64_t offset);

// Reads its bytes. `buffer` grows if needed and keeps its memory. Throws Error for a wrong
// checksum.
ByteView read_record(const InputFile& file, const RecordPlace& place, ByteBuffer& buffer);

// The record at the beginning of `bytes` in memory. `name` and `offset` give its place in errors.
// Throws Error.
ByteView record_in(ByteView bytes, const std::string& name, int64_t offset);

class RecordWriter {
 public:
  explicit RecordWriter(const std::string& path);  // throws Error; replaces an existing file
  RecordPlace write(ByteView record);
  void flush();   // readers of the file see all records
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
