// conv_methods.h: the methods that compute a convolution, and how one is chosen.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "engine/native/conv_pass.h"

namespace lockstep::native {

enum class ConvDirection { Forward, BackwardData, BackwardWeights };

// One direction of one convolution: what there is to compute.
struct ConvWork {
  ConvDirection direction;
  ConvProblem problem;
  dnnl::memory::desc stored;  // layout of the weights in the arena
  Bounds bounds;              // of the output, forward
};

struct ConvMethod {
  std::string_view name;
  bool (*fits)(const ConvWork& work);
  std::unique_ptr<ConvPass> (*make)(const Device& device, const ConvWork& work);
};

// The first computes everything.
std::span<const ConvMethod> conv_methods();

// Decides while the network is lowered. Only asked about work that several methods fit.
class ConvChooser {
 public:
  virtual ~ConvChooser() = default;
  virtual const ConvMethod& choose(const ConvWork& work) = 0;
};

// `choices` as far as they go and name a method that fits, else a rule: what --conv-algo asks for,
// or Winograd's method where there are channels enough to pay for its transforms. Borrows choices.
std::unique_ptr<ConvChooser> make_rule_chooser(ConvAlgorithm algorithm, const ConvChoices& choices);

std::string work_text(const ConvWork& work);

std::unique_ptr<ConvPass> make_pass(const Device& device, const ConvWork& work,
                                    ConvChooser& chooser);

}  // namespace lockstep::native
