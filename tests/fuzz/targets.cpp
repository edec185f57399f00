#include "fuzz/targets.h"

#include "data/cifar.h"
#include "data/idx.h"
#include "data/image_record.h"
#include "data/jpeg_decode.h"
#include "data/tfrecord.h"

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

constexpr FuzzTarget kTargets[] = {
    {"tfrecord", read_records},
    {"idx", [](ByteView bytes) { idx_array_in(bytes); }},
    {"cifar_pickle", read_pickle_batch},
};

}  // namespace

std::span<const FuzzTarget> fuzz_targets() { return kTargets; }

}  // namespace lockstep
