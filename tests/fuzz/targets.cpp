#include "fuzz/targets.h"

#include <cstring>

#include "base/error.h"
#include "data/formats/cifar.h"
#include "data/formats/crc32c.h"
#include "data/formats/idx.h"
#include "data/formats/image_record.h"
#include "data/formats/tfrecord.h"
#include "data/pixels/jpeg_decode.h"
#include "train/checkpoint.h"

namespace lockstep {
namespace {

// The bytes as a file of records. A checksum hides what is behind it from a search, so the same
// bytes are also taken for a record themselves.
void read_records(ByteView bytes) {
  try {
    const ImageRecord image = image_record_in(bytes);
    JpegDecoder decoder;
    const ImageSize size = decoder.open(image.encoded);
    decoder.decode({.left = 0, .top = 0, .width = size.width, .height = size.height}, 8);
  } catch (const std::exception&) {  // refused: what follows is another reading of the same bytes
  }
  for (int64_t offset = 0; offset < std::ssize(bytes);) {
    const ByteView record = record_in(bytes.subspan(static_cast<size_t>(offset)), "input", offset);
    image_record_in(record);
    offset += kRecordHeadBytes + std::ssize(record) + kRecordTailBytes;
  }
}

void read_pickle_batch(ByteView bytes) {
  LabelledImages images = {.image = cifar_image(), .pixels = {}, .labels = {}};
  add_cifar_pickle(bytes, images);
}

Memory memory_of(ByteView bytes) {
  Memory memory(std::ssize(bytes));
  if (!bytes.empty()) std::memcpy(memory.data(), bytes.data(), bytes.size());
  return memory;
}

// As they are, and with the length and checksum that they would need: behind those a search would
// find nothing.
void read_checkpoint_bytes(ByteView bytes) {
  Memory forged = memory_of(bytes);
  constexpr size_t kVersionAt = 8, kCrcAt = 12, kLengthAt = 16;
  if (bytes.size() >= 32) {
    const auto put = [&](size_t at, auto number) {
      const auto little = as_little_endian(number);
      std::memcpy(forged.data() + at, little.data(), little.size());
    };
    std::memcpy(forged.data(), "lockstep", kVersionAt);
    put(kVersionAt, uint32_t{1});
    put(kLengthAt, static_cast<uint64_t>(bytes.size()));
    const ByteView all(reinterpret_cast<const uint8_t*>(forged.data()), bytes.size());
    put(kCrcAt, crc32c(all.subspan(kLengthAt)));
  }
  try {
    Checkpoint read(std::move(forged));
  } catch (const Error&) {  // refused: what follows is another reading of the same bytes
  }
  Checkpoint read(memory_of(bytes));
}

void read_cifar_batch(ByteView bytes) {
  LabelledImages images = {.image = cifar_image(), .pixels = {}, .labels = {}};
  add_cifar_binary(bytes, images);
}

// At full size, of an image that a search can afford.
void read_jpeg(ByteView bytes) {
  constexpr int64_t kMostPixels = 1 << 20;
  JpegDecoder decoder;
  const ImageSize size = decoder.open(bytes);
  if (int64_t{size.width} * size.height > kMostPixels) return;
  decoder.decode({.left = 0, .top = 0, .width = size.width, .height = size.height});
}

constexpr FuzzTarget kTargets[] = {
    {"tfrecord", read_records},
    {"idx", [](ByteView bytes) { idx_array_in(bytes); }},
    {"cifar_pickle", read_pickle_batch},
    {"cifar_binary", read_cifar_batch},
    {"jpeg", read_jpeg},
    {"checkpoint", read_checkpoint_bytes},
};

}  // namespace

std::vector<FuzzTarget> fuzz_targets() {
  std::vector<FuzzTarget> all(std::begin(kTargets), std::end(kTargets));
  for (const auto& more : {text_targets(), peer_targets(), report_targets()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace lockstep
