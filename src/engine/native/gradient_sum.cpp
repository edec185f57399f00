#include "engine/native/gradient_sum.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/native/parallel.h"

namespace lockstep::native {
namespace {

constexpr int64_t kPiece = 4096;  // floats: sums of more than two stay in the first-level cache

}  // namespace

void GradientSum::plan(Planner& planner, Value& value, Bounds bounds) {
  views_ = planner.take_gradients(value);
  assert(!views_.empty());
  bounds_ = bounds;
  value_ = value.data;
  batch_ = planner.layout().batch;
  floats_per_image_ = planner.layout().floats_per_image(value.shape, value.format);
  if (is_bounded(bounds)) planner.read(value);
  const bool as_it_is =
      views_.size() == 1 && planner.is_dense(value, views_[0]) && !is_bounded(bounds);
  if (as_it_is) {
    sum_ = views_[0];
    views_.clear();
    return;
  }
  for (View& view : views_) {
    if (!planner.may_overwrite(value, views_, view)) continue;
    sum_ = view;
    std::swap(view, views_[0]);  // what is overwritten must be read first
    break;
  }
  if (sum_.buffer == kNoBuffer) sum_ = planner.reserve_like(value);
}

void GradientSum::bind(const Addresses& addresses) {
  out_ = addresses.at(sum_);
  for (const View& view : views_) sources_.push_back(addresses.at(view));
  if (is_bounded(bounds_)) passed_ = addresses.at(value_);
}

void GradientSum::run() const {
  if (views_.empty()) return;
  const int64_t pieces = (floats_per_image_ + kPiece - 1) / kPiece;
  parallel_for(batch_ * pieces, [&](int64_t item) {
    const int64_t image = item / pieces, begin = item % pieces * kPiece;
    const int64_t count = std::min(kPiece, floats_per_image_ - begin);
    const auto row = [&](size_t k) { return sources_[k] + image * views_[k].image_stride + begin; };
    add_rows(count, views_.size(), row,
             passed_ ? passed_ + image * value_.image_stride + begin : nullptr, bounds_,
             out_ + image * floats_per_image_ + begin);
  });
}

}  // namespace lockstep::native
