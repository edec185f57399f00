#include "data/pipeline/validation_set.h"

#include <algorithm>

#include "data/formats/contents.h"
#include "data/formats/data_formats.h"
#include "data/pipeline/borrowed_source.h"
#include "data/pipeline/stored_input.h"

namespace lockstep {
namespace {

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

int64_t ValidationSet::examples() const { return source_ ? source_->count() : 0; }

std::string ValidationSet::contents() const { return source_ ? contents_of(*source_) : ""; }

std::unique_ptr<InputSource> ValidationSet::pass() const {
  if (!source_) return make_input(spec_);
  return std::make_unique<StoredInput>(std::make_unique<BorrowedSource>(*source_),
                                       std::make_unique<Damage>(answer_of(spec_)),
                                       stored_options(spec_));
}

}  // namespace lockstep
