#include "base/error.h"
#include "nn/description/layer_description.h"
#include "nn/infer_shape.h"

namespace lockstep {
namespace {

// The bounds keep counts of parameters and multiply-adds within 64 bits.
constexpr int kMostNodes = 2000;
constexpr int kMostWritten = 20'000;  // also layers that add no node, in nested repeats
constexpr int64_t kMostElements = int64_t{1} << 28;
constexpr int64_t kMostChannels = int64_t{1} << 18;

class Writer {
 public:
  explicit Writer(Builder& net) : net_(net), places_(net.graph().nodes().size()) {}

  std::vector<std::string> places() { return std::move(places_); }

  NodeId write(const LayerSequence& layers, NodeId input) {
    for (const LayerDescription& layer : layers) {
      if (++written_ > kMostWritten) throw UsageError("{}: too many layers", layer.place);
      input = write(layer, layer.from.empty() ? input : named(layer));
      if (!layer.name.empty()) remember(layer, input);
    }
    return input;
  }

 private:
  // A layer that is repeated keeps its name: the last one counts.
  void remember(const LayerDescription& layer, NodeId output) {
    const auto [named, is_new] = names_.try_emplace(layer.name, Named{&layer, output});
    if (named->second.layer != &layer) {
      throw UsageError("{}: name = \"{}\": a layer above has this name", layer.place, layer.name);
    }
    named->second.output = output;
  }

  NodeId named(const LayerDescription& layer) const {
    const auto found = names_.find(layer.from);
    if (found != names_.end()) return found->second.output;
    throw UsageError("{}: from = \"{}\": no layer above has this name", layer.place, layer.from);
  }

  NodeId write(const LayerDescription& layer, NodeId input) {
    if (!layer.add) {  // repeat, or from alone
      for (int i = 0; i < layer.times; ++i) {
        for (const LayerSequence& branch : layer.branches) input = write(branch, input);
      }
      return input;
    }
    std::vector<NodeId> inputs;
    for (const LayerSequence& branch : layer.branches) inputs.push_back(write(branch, input));
    if (inputs.empty()) inputs.push_back(input);
    check_inputs(layer, inputs);
    try {
      const NodeId output = layer.add(net_, inputs);
      places_.resize(net_.graph().nodes().size(), layer.place);
      check_size(output);
      return output;
    } catch (const MisfitError& error) {  // the place names the layer
      throw UsageError("{}: {}", layer.place, error.why);
    } catch (const Error& error) {  // adds the place
      throw UsageError("{}: {}", layer.place, error.what());
    }
  }

  void check_inputs(const LayerDescription& layer, const std::vector<NodeId>& inputs) const {
    for (const NodeId input : inputs) {
      if (std::holds_alternative<SoftmaxLoss>(net_.graph().node(input).layer)) {
        throw UsageError("{}: it follows a classify; give it another input with from = \"...\"",
                         layer.place);
      }
    }
  }

  void check_size(NodeId id) const {
    if (std::ssize(net_.graph().nodes()) > kMostNodes) {
      throw Error("the network has more than {} layers", kMostNodes);
    }
    const Shape& shape = net_.graph().shape(id);
    if (shape.elements() > kMostElements) {
      throw Error("its output has more than {} values", kMostElements);
    }
    if (shape.rank() == 3 && shape.channels() > kMostChannels) {
      throw Error("its output has more than {} channels", kMostChannels);
    }
  }

  struct Named {
    const LayerDescription* layer;
    NodeId output;
  };

  Builder& net_;
  std::vector<std::string> places_;
  std::map<std::string, Named> names_;
  int written_ = 0;
};

}  // namespace

std::vector<std::string> write_layers(const LayerSequence& layers, Builder& net, NodeId input) {
  Writer writer(net);
  writer.write(layers, input);
  return writer.places();
}

}  // namespace lockstep
