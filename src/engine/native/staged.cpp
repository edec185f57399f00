#include "engine/native/staged.h"

namespace lockstep::native {

void Staged::plan(Planner& planner) {
  copies_ = home_ != wanted_;
  if (copies_) buffer_ = planner.reserve(static_cast<int64_t>(wanted_.get_size()));
}

void Staged::bind_input(const Addresses& addresses, float* home) {
  home_data_ = home;
  if (!copies_) return;
  scratch_ = addresses.floats(buffer_);
  copy_ = make_reorder(*device_, home_, wanted_);
  copy_.set(DNNL_ARG_FROM, home_, home);
  copy_.set(DNNL_ARG_TO, wanted_, scratch_);
}

void Staged::bind_output(const Addresses& addresses, float* home) {
  home_data_ = home;
  if (!copies_) return;
  scratch_ = addresses.floats(buffer_);
  copy_ = make_reorder(*device_, wanted_, home_);
  copy_.set(DNNL_ARG_FROM, wanted_, scratch_);
  copy_.set(DNNL_ARG_TO, home_, home);
}

void Staged::move_home(float* home) {
  home_data_ = home;
  if (copies_) copy_.move(DNNL_ARG_FROM, home);
}

}  // namespace lockstep::native
