#include "engine/native/conv_tuning.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "engine/native/conv_methods.h"
#include "engine/native/conv_trial.h"
#include "engine/native/lowering.h"
#include "engine/native/threads.h"

namespace lockstep {
namespace native {
namespace {

constexpr double kTrialMacs = 1e9;  // of one execution: ten to twenty milliseconds on a core
constexpr Seconds kTrialTime{0.002};
constexpr int kRounds = 3;  // methods take turns, so a moment's load meets all of them

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
    struct Candidate {
      const ConvMethod* method;
      ConvTrial trial;
      Seconds best{std::numeric_limits<double>::infinity()};
    };
    std::vector<Candidate> candidates;
    for (const ConvMethod& method : conv_methods()) {
      if (method.fits(work)) candidates.push_back({&method, {work, method.make(device_, work)}});
    }
    for (int round = 0; round < kRounds && candidates.size() > 1; ++round) {
      for (Candidate& candidate : candidates) {
        candidate.best = std::min(candidate.best, candidate.trial.best_time(kTrialTime));
      }
    }
    return *std::ranges::min_element(candidates, {}, &Candidate::best)->method;
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
