#include "engine/native/conv_trial.h"

#include <algorithm>
#include <limits>

namespace lockstep::native {

ConvTrial::ConvTrial(const ConvWork& work, std::unique_ptr<ConvPass> pass)
    : pass_(std::move(pass)),
      x_(static_cast<int64_t>(work.problem.source.get_size())),
      y_(static_cast<int64_t>(work.problem.destination.get_size())),
      weights_(static_cast<int64_t>(std::max(pass_->weights().get_size(), work.stored.get_size()))),
      bias_(work.problem.bias ? work.problem.output.channels() : 0) {
  Planner planner({work.problem.batch, preferred_block(), ImageLayout::Nchw});
  pass_->plan(planner);
  scratch_ = Memory(planner.place());
  // Memory that was never written is one page of zeros, and always in cache.
  for (Memory* memory : {&x_, &y_, &weights_}) std::ranges::fill(memory->floats(), 0.01f);
  const int64_t no_parameters[] = {0};
  const ParameterId order[] = {0};
  const ParameterArena arena(no_parameters, order);
  pass_->bind(Addresses(planner, scratch_.data(), arena),
              {.x = x_.floats().data(),
               .y = y_.floats().data(),
               .weights = weights_.floats().data(),
               .bias = bias_.empty() ? nullptr : bias_.data()});
  pass_->run();  // touches all memory
}

Seconds ConvTrial::best_time(Seconds together) {
  constexpr int kLeastRuns = 2;
  Seconds best{std::numeric_limits<double>::infinity()}, all{0};
  for (int run = 0; run < kLeastRuns || all < together; ++run) {
    const TimePoint begin = Clock::now();
    pass_->run();
    const Seconds duration = Clock::now() - begin;
    best = std::min(best, duration);
    all += duration;
  }
  return best;
}

}  // namespace lockstep::native
