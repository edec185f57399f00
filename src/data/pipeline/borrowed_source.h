// borrowed_source.h: a source of examples that refers to another source, which outlives it.
#pragma once

#include <string>

#include "data/formats/example_source.h"

namespace lockstep {

class BorrowedSource : public ExampleSource {
 public:
  explicit BorrowedSource(const ExampleSource& source) : source_(source) {}

  int64_t count() const override { return source_.count(); }
  int64_t bytes() const override { return source_.bytes(); }
  std::span<const int64_t> group_begins() const override { return source_.group_begins(); }
  void read(int64_t index, EncodedExample& out) const override { source_.read(index, out); }
  void will_need(int64_t index) const override { source_.will_need(index); }
  std::string where(int64_t index) const override { return source_.where(index); }

 private:
  const ExampleSource& source_;
};

}  // namespace lockstep
