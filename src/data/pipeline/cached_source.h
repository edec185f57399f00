// cached_source.h: caches every example in memory in its stored form.
#pragma once

#include <atomic>
#include <memory>

#include "data/formats/example_source.h"

namespace lockstep {

class CachedSource : public ExampleSource {
 public:
  explicit CachedSource(std::unique_ptr<ExampleSource> source)
      : source_(std::move(source)), kept_(static_cast<size_t>(source_->count())) {}
  ~CachedSource() override {
    for (auto& place : kept_) std::unique_ptr<const EncodedExample>(place.load());
  }

  int64_t count() const override { return source_->count(); }
  int64_t bytes() const override { return source_->bytes(); }
  std::span<const int64_t> group_begins() const override { return source_->group_begins(); }
  std::string where(int64_t index) const override { return source_->where(index); }
  void will_need(int64_t index) const override {
    if (!kept_[static_cast<size_t>(index)].load()) source_->will_need(index);
  }
  void read(int64_t index, EncodedExample& out) const override;

 private:
  std::unique_ptr<ExampleSource> source_;
  // Owned; set once. Threads that read the same one at the same time agree on whose is kept.
  mutable std::vector<std::atomic<const EncodedExample*>> kept_;
};

}  // namespace lockstep
