// tfrecord_source.h: the images of many TFRecord files, numbered consecutively.
//
// Opening scans the record headers of all files for offsets, a few bytes per record. Then any
// record takes one read.
#pragma once

#include "data/formats/damage.h"
#include "data/formats/example_source.h"
#include "data/formats/open_files.h"
#include "data/formats/tfrecord.h"

namespace lockstep {

class TfrecordSource : public ExampleSource {
 public:
  // Scans the files with about this many threads. `damage` handles files whose record headers are
  // damaged from some offset on: the rest of such a file is lost.
  TfrecordSource(std::vector<std::string> paths, Damage& damage, int threads);

  int64_t count() const override { return std::ssize(places_); }
  int64_t bytes() const override { return bytes_; }
  std::span<const int64_t> group_begins() const override { return begins_; }
  void read(int64_t index, EncodedExample& out) const override;
  void will_need(int64_t index) const override;
  std::string where(int64_t index) const override;

 private:
  size_t file_of(int64_t index) const;

  OpenFiles files_;
  std::vector<RecordPlace> places_;
  std::vector<int64_t> begins_;  // of each file, its first example
  int64_t bytes_ = 0;
};

// All records of one file, up to the first damaged header.
std::vector<RecordPlace> places_in(const std::string& path, Damage& damage);

}  // namespace lockstep
