// conv_trial.h: times one direction of a convolution, with memory of its own.
#pragma once

#include <memory>
#include <vector>

#include "base/time.h"
#include "engine/native/conv_methods.h"
#include "tensor/memory.h"

namespace lockstep::native {

class ConvTrial {
 public:
  ConvTrial(const ConvWork& work, std::unique_ptr<ConvPass> pass);

  void run() { pass_->run(); }
  // The best of at least two runs that together take so long: what disturbs a run makes it longer,
  // never shorter.
  Seconds best_time(Seconds together);

 private:
  std::unique_ptr<ConvPass> pass_;
  Memory x_, y_, weights_, scratch_;
  std::vector<float> bias_;
};

}  // namespace lockstep::native
