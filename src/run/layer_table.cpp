#include "run/layer_table.h"

#include <fmt/format.h>

#include "base/text.h"
#include "config/json.h"
#include "framework/network_json.h"
#include "nn/cost.h"
#include "nn/parameters.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

using Align = TextTable::Align;

std::vector<int64_t> parameters_by_node(const Graph& graph) {
  std::vector<int64_t> counts(graph.nodes().size());
  for (const ParameterSpec& parameter : parameters_of(graph)) {
    counts[static_cast<size_t>(parameter.node)] += parameter.shape.elements();
  }
  return counts;
}

struct Window {
  Extent extent;
  int stride;
};
std::optional<Window> window_of(const Layer& layer) {
  if (const Conv* conv = std::get_if<Conv>(&layer)) return Window{conv->kernel, conv->stride};
  if (const Pool* pool = std::get_if<Pool>(&layer)) return Window{pool->window, pool->stride};
  return {};
}

std::string pads_text(const Pads& pads) {
  return fmt::format("{},{},{},{}", pads.top, pads.bottom, pads.left, pads.right);
}

}  // namespace

std::string layer_table(const Graph& graph) {
  TextTable table({{"layer", Align::Left},
                   {"kind", Align::Left},
                   {"output", Align::Left},
                   {"kernel"},
                   {"stride"},
                   {"pads tblr"},
                   {"parameters"},
                   {"MACs"}});
  const std::vector<int64_t> parameters = parameters_by_node(graph);
  for (NodeId id = 0; const Node& node : graph.nodes()) {
    const auto window = window_of(node.layer);
    const int64_t macs = forward_macs(graph, id);
    table.add({node.name, std::string(kind_of(node.layer)), node.output.text(),
               window ? fmt::format("{}x{}", window->extent.height, window->extent.width) : "",
               window ? fmt::format("{}", window->stride) : "", window ? pads_text(node.pads) : "",
               parameters[id] ? thousands_text(parameters[id]) : "",
               macs ? thousands_text(macs) : ""});
    ++id;
  }
  return table.text();
}

std::string graph_file_text(const std::string& path, const Graph& graph) {
  return path.ends_with("txt") ? layer_table(graph) : layers_json(graph).dump(1) + "\n";
}

}  // namespace lockstep
