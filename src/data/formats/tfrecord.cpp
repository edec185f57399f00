#include "data/formats/tfrecord.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/error.h"
#include "data/formats/crc32c.h"

namespace lockstep {
namespace {

std::string reason() { return std::generic_category().message(errno); }

// `rest`: bytes from the record's beginning to the end of the file.
int64_t length_in(ByteView head, const std::string& name, int64_t offset, int64_t rest) {
  const ByteView length_bytes = head.first(8);
  if (masked_crc32c(length_bytes) != little_endian<uint32_t>(head.subspan(8))) {
    throw Error("{}, byte {}: wrong checksum of the record length", name, offset);
  }
  const uint64_t length = little_endian<uint64_t>(length_bytes);
  if (length > uint64_t{kLongestRecordBytes}) {
    throw Error("{}, byte {}: record of {} bytes; the limit is {}", name, offset, length,
                kLongestRecordBytes);
  }
  const int64_t bytes = static_cast<int64_t>(length);
  const int64_t whole = kRecordHeadBytes + bytes + kRecordTailBytes;
  if (whole > rest) {
    throw Error("{}, byte {}: truncated record, {} bytes are missing", name, offset, whole - rest);
  }
  return bytes;
}

void check_tail(ByteView record, ByteView tail, const std::string& name, int64_t offset) {
  if (masked_crc32c(record) != little_endian<uint32_t>(tail)) {
    throw Error("{}, byte {}: wrong checksum of the record", name, offset);
  }
}

void check_room_for_head(int64_t rest, const std::string& name, int64_t offset) {
  if (rest < kRecordHeadBytes) {
    throw Error("{}, byte {}: truncated record header", name, offset);
  }
}

}  // namespace

RecordPlace record_at(const InputFile& file, int64_t offset) {
  const int64_t rest = file.bytes() - offset;
  check_room_for_head(rest, file.path(), offset);
  std::array<uint8_t, kRecordHeadBytes> head{};
  file.read_at(offset, head);
  return {.offset = offset, .bytes = length_in(head, file.path(), offset, rest)};
}

ByteView read_record(const InputFile& file, const RecordPlace& place, ByteBuffer& buffer) {
  const size_t bytes = static_cast<size_t>(place.bytes), needed = bytes + kRecordTailBytes;
  if (buffer.size() < needed) buffer.resize(needed);
  const std::span<uint8_t> part(buffer.data(), needed);
  file.read_at(place.offset + kRecordHeadBytes, part);
  const ByteView record = ByteView(part).first(bytes);
  check_tail(record, ByteView(part).subspan(bytes), file.path(), place.offset);
  return record;
}

ByteView record_in(ByteView bytes, const std::string& name, int64_t offset) {
  const int64_t rest = std::ssize(bytes);
  check_room_for_head(rest, name, offset);
  const size_t length = static_cast<size_t>(length_in(bytes, name, offset, rest));
  const ByteView record = bytes.subspan(kRecordHeadBytes, length);
  check_tail(record, bytes.subspan(kRecordHeadBytes + length), name, offset);
  return record;
}

RecordWriter::RecordWriter(const std::string& path)
    : path_(path), file_(std::fopen(path.c_str(), "wbe")) {
  if (!file_) throw Error("cannot write {}: {}", path, reason());
}

void RecordWriter::put(ByteView bytes) {
  if (bytes.empty()) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    throw Error("cannot write {}: {}", path_, reason());
  }
}

RecordPlace RecordWriter::write(ByteView record) {
  const RecordPlace place = {.offset = offset_, .bytes = std::ssize(record)};
  const auto length = as_little_endian(static_cast<uint64_t>(record.size()));
  put(length);
  put(as_little_endian(masked_crc32c(length)));
  put(record);
  put(as_little_endian(masked_crc32c(record)));
  offset_ = place.end();
  return place;
}

void RecordWriter::flush() {
  if (std::fflush(file_.get()) != 0) throw Error("cannot write {}: {}", path_, reason());
}

void RecordWriter::finish() {
  const bool good = std::fflush(file_.get()) == 0 && fsync(fileno(file_.get())) == 0;
  if (!good) throw Error("cannot write {}: {}", path_, reason());
  if (std::fclose(file_.release()) != 0) throw Error("cannot write {}: {}", path_, reason());
}

}  // namespace lockstep
