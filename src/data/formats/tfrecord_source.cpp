#include "data/formats/tfrecord_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/formats/parallel_for.h"

namespace lockstep {
namespace {

// Scanning waits for storage: many threads help and need hardly any CPU.
constexpr int kFewestThreads = 16;

}  // namespace

std::vector<RecordPlace> places_in(const std::string& path, Damage& damage) {
  std::vector<RecordPlace> places;
  try {
    const InputFile file(path);
    for (int64_t offset = 0; offset < file.bytes(); offset = places.back().end()) {
      places.push_back(record_at(file, offset));
    }
  } catch (const Error& error) {
    damage.met(error);
  }
  return places;
}

TfrecordSource::TfrecordSource(std::vector<std::string> paths, Damage& damage, int threads)
    : files_(std::move(paths)) {
  std::vector<std::vector<RecordPlace>> by_file(files_.count());
  for_each_in_parallel(std::ssize(by_file), std::max(threads, kFewestThreads), [&](int64_t i) {
    by_file[static_cast<size_t>(i)] = places_in(files_.path(static_cast<size_t>(i)), damage);
  });
  for (const std::vector<RecordPlace>& places : by_file) {
    begins_.push_back(std::ssize(places_));
    places_.insert(places_.end(), places.begin(), places.end());
  }
  for (const RecordPlace& place : places_) bytes_ += place.bytes;
}

size_t TfrecordSource::file_of(int64_t index) const {
  const auto behind = std::ranges::upper_bound(begins_, index);
  return static_cast<size_t>(behind - begins_.begin() - 1);
}

std::string TfrecordSource::where(int64_t index) const {
  return fmt::format("{}, byte {}", files_.path(file_of(index)),
                     places_[static_cast<size_t>(index)].offset);
}

void TfrecordSource::read(int64_t index, EncodedExample& out) const {
  const auto file = files_.get(file_of(index));
  const ByteView record = read_record(*file, places_[static_cast<size_t>(index)], out.storage);
  try {
    ImageRecord image = image_record_in(record);
    out.form = EncodedExample::Form::Jpeg;
    out.bytes = image.encoded;
    out.label = image.label;
    out.boxes = std::move(image.boxes);
  } catch (const Error& error) {
    throw Error("{}: {}", where(index), error.what());
  }
}

void TfrecordSource::will_need(int64_t index) const {
  const RecordPlace& place = places_[static_cast<size_t>(index)];
  try {
    files_.get(file_of(index))->will_need(place.offset, place.end() - place.offset);
  } catch (const Error&) {  // only a hint; read() will report the error
  }
}

}  // namespace lockstep
