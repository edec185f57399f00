// staged.h: a tensor in the layout that a oneDNN primitive requires.
//
// Nearly always that is the layout the tensor already has. Where it is not (a one-channel image
// that backward-weights wants blocked), a scratch copy stands in between.
#pragma once

#include "engine/native/op.h"

namespace lockstep::native {

class Staged {
 public:
  Staged() = default;
  Staged(const Device& device, dnnl::memory::desc home, dnnl::memory::desc wanted)
      : device_(&device), home_(std::move(home)), wanted_(std::move(wanted)) {}

  const dnnl::memory::desc& home() const { return home_; }
  const dnnl::memory::desc& wanted() const { return wanted_; }
  void plan(Planner& planner);  // scratch, at this tick
  // `home`: where the tensor lives; may be null when it comes with each batch.
  void bind_input(const Addresses& addresses, float* home);
  void bind_output(const Addresses& addresses, float* home);
  void move_home(float* home);  // an input's new place
  float* data() const { return copies_ ? scratch_ : home_data_; }
  void copy() const {  // before the primitive for inputs, after it for outputs
    if (copies_) copy_.run();
  }

 private:
  const Device* device_ = nullptr;  // borrowed from the engine
  dnnl::memory::desc home_, wanted_;
  BufferId buffer_ = kNoBuffer;
  bool copies_ = false;
  float *home_data_ = nullptr, *scratch_ = nullptr;
  Primitive copy_;
};

}  // namespace lockstep::native
