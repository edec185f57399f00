#include "data/pipeline/validation_set.h"

#include <cmath>

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

// A product that is whole but for its rounding error is not rounded up.
int64_t examples_of(const ValidationLength& length, int64_t epoch) {
  return static_cast<int64_t>(std::ceil(length.epochs * static_cast<double>(epoch) - 1e-6));
}

constexpr uint64_t kOtherImages = 0x76616c69;  // synthetic ones are not those of training

}  // namespace

ValidationSet::ValidationSet(InputSpec spec, const ValidationLength& length)
    : spec_(std::move(spec)), damage_(answer_of(spec_)) {
  spec_.split = Split::Validation;
  spec_.taken = 0;
  if (spec_.directory.empty()) {
    spec_.seed += kOtherImages;
  } else {
    source_ = open_examples({.directory = spec_.directory,
                             .split = Split::Validation,
                             .damage = damage_,
                             .threads = spec_.threads});
  }
  wanted_ = examples_of(length, source_ ? source_->count() : length.synthetic_examples);
  const int64_t all = rounded_up(rounded_up(wanted_, spec_.ranks), spec_.batch);
  const int64_t most = length.most_batches;
  batches_ = most > 0 && (!source_ || most < all) ? most : all;
}

int64_t ValidationSet::examples() const { return source_ ? source_->count() : 0; }

std::string ValidationSet::contents() const { return source_ ? contents_of(*source_) : ""; }

std::unique_ptr<InputSource> ValidationSet::pass() const {
  if (!source_) return make_input(spec_);
  StoredInputOptions options = stored_options(spec_);
  options.validated = wanted_;
  return std::make_unique<StoredInput>(std::make_unique<BorrowedSource>(*source_),
                                       std::make_unique<Damage>(answer_of(spec_)), options);
}

}  // namespace lockstep
