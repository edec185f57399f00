#include "data/validation_set.h"

#include <algorithm>

#include "data/data_formats.h"
#include "data/stored_input.h"

namespace lockstep {
namespace {

// A data set that somebody else owns.
class Borrowed : public ExampleSource {
 public:
  explicit Borrowed(const ExampleSource& source) : source_(source) {}

  int64_t count() const override { return source_.count(); }
  int64_t bytes() const override { return source_.bytes(); }
  std::span<const int64_t> group_begins() const override { return source_.group_begins(); }
  void read(int64_t index, EncodedExample& out) const override { source_.read(index, out); }
  void will_need(int64_t index) const override { source_.will_need(index); }
  std::string where(int64_t index) const override { return source_.where(index); }

 private:
  const ExampleSource& source_;
};

Damage::Answer answer_of(const InputSpec& spec) {
  return spec.skip_corrupt ? Damage::Answer::Skip : Damage::Answer::Stop;
}

int64_t rounded_up(int64_t count, int64_t parts) { return (count + parts - 1) / parts; }

constexpr uint64_t kOtherImages = 0x76616c69;  // synthetic ones are not those of training

}  // namespace

ValidationSet::ValidationSet(InputSpec spec, int64_t most_batches)
    : spec_(std::move(spec)), damage_(answer_of(spec_)), batches_(most_batches) {
  spec_.split = Split::Validation;
  spec_.taken = 0;
  if (spec_.directory.empty()) {
    spec_.seed += kOtherImages;
    return;
  }
  source_ = open_examples({.directory = spec_.directory,
                           .split = Split::Validation,
                           .damage = damage_,
                           .threads = spec_.threads});
  const int64_t all = rounded_up(rounded_up(source_->count(), spec_.ranks), spec_.batch);
  batches_ = most_batches > 0 ? std::min(most_batches, all) : all;
}

std::unique_ptr<InputSource> ValidationSet::pass() const {
  if (!source_) return make_input(spec_);
  return std::make_unique<StoredInput>(std::make_unique<Borrowed>(*source_),
                                       std::make_unique<Damage>(answer_of(spec_)),
                                       stored_options(spec_));
}

}  // namespace lockstep
