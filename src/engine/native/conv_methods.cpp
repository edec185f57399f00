#include "engine/native/conv_methods.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::native {
namespace {

std::unique_ptr<ConvPass> make_direct(const Device& device, const ConvWork& work) {
  switch (work.direction) {
    case ConvDirection::Forward:
      return make_direct_forward(device, work.problem);
    case ConvDirection::BackwardData:
      return make_direct_backward_data(device, work.problem);
    case ConvDirection::BackwardWeights:
      return make_direct_backward_weights(device, work.problem, work.stored);
  }
  return nullptr;
}

std::unique_ptr<ConvPass> make_winograd(const Device&, const ConvWork& work) {
  switch (work.direction) {
    case ConvDirection::Forward:
      return make_winograd_forward(work.problem, work.bounds);
    case ConvDirection::BackwardData:
      return make_winograd_backward_data(work.problem);
    case ConvDirection::BackwardWeights:
      return make_winograd_backward_weights(work.problem);
  }
  return nullptr;
}

constexpr ConvMethod kMethods[] = {
    {"direct", [](const ConvWork&) { return true; }, make_direct},
    {"winograd", [](const ConvWork& work) { return winograd_fits(work.problem, work.stored); },
     make_winograd},
};
constexpr const ConvMethod& kDirect = kMethods[0];
constexpr const ConvMethod& kWinograd = kMethods[1];

bool pays(const ConvWork& work) {
  constexpr int64_t kWorthwhile = 16;
  return std::min(work.problem.input.channels(), work.problem.output.channels()) >= kWorthwhile;
}

class RuleChooser : public ConvChooser {
 public:
  RuleChooser(ConvAlgorithm algorithm, const ConvChoices& choices)
      : algorithm_(algorithm), choices_(choices) {}

  const ConvMethod& choose(const ConvWork& work) override {
    if (algorithm_ == ConvAlgorithm::Direct) return kDirect;
    if (algorithm_ == ConvAlgorithm::Winograd) return kWinograd;
    const auto known = choices_.find(work_text(work));
    for (const ConvMethod& method : kMethods) {
      if (known != choices_.end() && known->second == method.name && method.fits(work)) {
        return method;
      }
    }
    return pays(work) ? kWinograd : kDirect;
  }

 private:
  ConvAlgorithm algorithm_;
  const ConvChoices& choices_;  // borrowed
};

}  // namespace

std::span<const ConvMethod> conv_methods() { return kMethods; }

std::unique_ptr<ConvChooser> make_rule_chooser(ConvAlgorithm algorithm,
                                               const ConvChoices& choices) {
  return std::make_unique<RuleChooser>(algorithm, choices);
}

std::string work_text(const ConvWork& work) {
  constexpr std::string_view kNames[] = {"forward", "backward-data", "backward-weights"};
  const ConvProblem& problem = work.problem;
  const Pads& pads = problem.pads;
  return fmt::format("{} {}x{}/{} {} to {} pads {} {} {} {} batch {}",
                     kNames[static_cast<size_t>(work.direction)], problem.layer.kernel.height,
                     problem.layer.kernel.width, problem.layer.stride, problem.input.text(),
                     problem.output.text(), pads.top, pads.bottom, pads.left, pads.right,
                     problem.batch);
}

std::unique_ptr<ConvPass> make_pass(const Device& device, const ConvWork& work,
                                    ConvChooser& chooser) {
  const bool choice = std::ranges::any_of(
      conv_methods().subspan(1), [&](const ConvMethod& method) { return method.fits(work); });
  return (choice ? chooser.choose(work) : kDirect).make(device, work);
}

}  // namespace lockstep::native
