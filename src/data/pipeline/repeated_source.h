// repeated_source.h: one example of a data set in place of all of them: takes storage out of the
// measurement and keeps the decoding.
#pragma once

#include <memory>
#include <mutex>

#include "data/formats/example_source.h"

namespace lockstep {

class RepeatedSource : public ExampleSource {
 public:
  // `index`: of the example, below count().
  RepeatedSource(std::unique_ptr<ExampleSource> source, int64_t index)
      : source_(std::move(source)), index_(index) {}

  int64_t count() const override { return source_->count(); }
  int64_t bytes() const override { return source_->bytes(); }
  std::span<const int64_t> group_begins() const override { return source_->group_begins(); }
  std::string where(int64_t) const override { return source_->where(index_); }
  void will_need(int64_t) const override {}
  void read(int64_t, EncodedExample& out) const override;

 private:
  std::unique_ptr<ExampleSource> source_;
  int64_t index_;
  mutable std::once_flag is_read_;
  mutable EncodedExample kept_;  // `out` of every read() shows its bytes
};

}  // namespace lockstep
