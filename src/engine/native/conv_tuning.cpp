#include "engine/native/conv_tuning.h"

#include <algorithm>
#include <limits>

#include "engine/native/conv_methods.h"
#include "engine/native/conv_trial.h"
#include "engine/native/lowering.h"
#include "engine/native/threads.h"

namespace lockstep {
namespace native {
namespace {

constexpr double kTrialMacs = 1e9;  // of one execution: ten to twenty milliseconds on a core
constexpr Seconds kTrialTime{0.005};

// The same work on fewer images: as many as make a trial long enough to tell.
ConvWork shortened(ConvWork work) {
  ConvProblem& problem = work.problem;
  const Extent kernel = problem.layer.kernel;
  const double macs_per_image = static_cast<double>(problem.output.elements()) *
                                static_cast<double>(problem.input.channels()) * kernel.height *
                                kernel.width;
  problem.batch = std::clamp(static_cast<int>(kTrialMacs / macs_per_image), 1, problem.batch);
  const Layout layout = {problem.batch, preferred_block(), ImageLayout::Nchw};
  problem.source = layout.describe(problem.input, Format::Blocked);
  problem.destination = layout.describe(problem.output, Format::Blocked);
  return work;
}

class MeasuringChooser : public ConvChooser {
 public:
  MeasuringChooser(const Device& device, const ConvChoices& known)
      : device_(device), known_(known) {}

  const ConvMethod& choose(const ConvWork& work) override {
    const std::string text = work_text(work);
    if (const auto before = known_.find(text); before != known_.end()) {
      for (const ConvMethod& method : conv_methods()) {
        if (method.name == before->second && method.fits(work)) return remember(text, method);
      }
    }
    return remember(text, fastest(shortened(work)));
  }

  const ConvChoices& chosen() const { return chosen_; }

 private:
  const ConvMethod& remember(const std::string& text, const ConvMethod& method) {
    chosen_[text] = method.name;
    known_[text] = method.name;
    return method;
  }

  const ConvMethod& fastest(const ConvWork& work) const {
    const ConvMethod* best = nullptr;
    Seconds least{std::numeric_limits<double>::infinity()};
    for (const ConvMethod& method : conv_methods()) {
      if (!method.fits(work)) continue;
      const Seconds time = ConvTrial(work, method.make(device_, work)).best_time(kTrialTime);
      if (time < least) {
        least = time;
        best = &method;
      }
    }
    return *best;
  }

  const Device& device_;  // borrowed
  ConvChoices known_, chosen_;
};

}  // namespace
}  // namespace native

ConvChoices measure_conv_choices(const Graph& graph, const EngineOptions& options,
                                 const ConvChoices& known) {
  using namespace native;
  prepare_threads(options.threads);
  const Device device;
  const Layout layout = {options.batch, preferred_block(), options.layout};
  MeasuringChooser chooser(device, known);
  lower(graph, options, layout, device, chooser);
  return chooser.chosen();
}

}  // namespace lockstep
