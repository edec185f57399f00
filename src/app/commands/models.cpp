// models.cpp: `lockstep models`: the networks there are, or the layers of one.
#include <fmt/format.h>

#include <ostream>

#include "app/options.h"
#include "app/program.h"
#include "base/error.h"
#include "base/text.h"
#include "config/run_json.h"
#include "nn/cost.h"
#include "nn/parameters.h"
#include "nn/zoo.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

using Align = TextTable::Align;

struct Wishes {
  std::string name;  // empty: all
  std::string dataset;
  ModelOptions options;
  bool json = false;
};

std::string giga(int64_t macs) { return fmt::format("{:.4f}", static_cast<double>(macs) / 1e9); }

Json json_of(const Model& model, const Graph& graph) {
  const Cost cost = cost_of(graph);
  return {{"name", model.name},
          {"dataset", model.dataset},
          {"image_size", model.image_size},
          {"default_batch_size", model.default_batch_size},
          {"parameters", cost.parameters},
          {"gradient_tensors", cost.gradient_tensors},
          {"forward_macs", cost.forward_macs}};
}

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

Json layers_json(const Graph& graph) {
  Json layers = Json::array();
  const std::vector<int64_t> parameters = parameters_by_node(graph);
  for (NodeId id = 0; const Node& node : graph.nodes()) {
    Json layer = {{"name", node.name},
                  {"kind", kind_of(node.layer)},
                  {"output", node.output.dims()},
                  {"parameters", parameters[id]},
                  {"forward_macs", forward_macs(graph, id)}};
    for (const NodeId input : node.inputs) layer["inputs"].push_back(graph.node(input).name);
    if (const auto window = window_of(node.layer)) {
      layer["kernel"] = {window->extent.height, window->extent.width};
      layer["stride"] = window->stride;
      layer["pads"] = {node.pads.top, node.pads.bottom, node.pads.left, node.pads.right};
    }
    layers.push_back(layer);
    ++id;
  }
  return layers;
}

std::string pads_text(const Pads& pads) {
  return fmt::format("{},{},{},{}", pads.top, pads.bottom, pads.left, pads.right);
}

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

std::string one_model(const Model& model, const Wishes& wishes) {
  const Graph graph = build(model, wishes.options);
  if (wishes.json) {
    Json json = json_of(model, graph);
    json["layers"] = layers_json(graph);
    return json.dump(1) + "\n";
  }
  const Cost cost = cost_of(graph);
  return fmt::format("{} ({}, {}x{}): {} parameters in {} tensors, {} GMAC per image forward\n\n",
                     model.name, model.dataset, model.image_size, model.image_size,
                     thousands_text(cost.parameters), cost.gradient_tensors,
                     giga(cost.forward_macs)) +
         layer_table(graph);
}

std::string all_models(const Wishes& wishes) {
  Json list = Json::array();
  TextTable table({{"name", Align::Left},
                   {"data set", Align::Left},
                   {"image"},
                   {"batch"},
                   {"parameters"},
                   {"tensors"},
                   {"forward GMACs"}});
  for (const Model& model : models()) {
    if (!wishes.dataset.empty() && model.dataset != wishes.dataset) continue;
    const Graph graph = build(model, wishes.options);
    const Cost cost = cost_of(graph);
    list.push_back(json_of(model, graph));
    table.add({std::string(model.name), std::string(model.dataset),
               std::to_string(model.image_size), std::to_string(model.default_batch_size),
               thousands_text(cost.parameters), std::to_string(cost.gradient_tensors),
               giga(cost.forward_macs)});
  }
  return wishes.json ? list.dump(1) + "\n" : table.text();
}

CommandSyntax syntax_for(Wishes& wishes) {
  const auto set_classes = [&wishes](const std::string& text) {
    const auto number = whole_number(text);
    if (!number || *number < 2 || *number > 10'000'000) {
      throw UsageError("--num-classes must be a whole number of at least 2, not '{}'", text);
    }
    wishes.options.num_classes = static_cast<int>(*number);
  };
  const auto set_dataset = [&wishes](const std::string& text) {
    wishes.dataset = find_dataset(text).name;
  };
  return {
      .command = "models",
      .summary = "Lists the networks, or the layers of one.",
      .flags = {{.name = "json",
                 .value_name = "",
                 .help = "as JSON",
                 .set = [&wishes](const std::string& on) { wishes.json = on == "true"; }},
                {.name = "num-classes",
                 .value_name = "N",
                 .help = "classes to tell apart; by default the data set's",
                 .set = set_classes},
                {.name = "data-name",
                 .value_name = "NAME",
                 .help = "only networks for this data set",
                 .set = set_dataset},
                {.name = "aux-head",
                 .value_name = "",
                 .help = "give inception3 its auxiliary classifier",
                 .set =
                     [&wishes](const std::string& on) { wishes.options.aux_head = on == "true"; }}},
      .positional = Positional{.name = "NAME",
                               .help = "a network",
                               .set = [&wishes](const std::string& name) { wishes.name = name; }}};
}

}  // namespace

int models_command(RunContext& context, std::span<const std::string> arguments) {
  Wishes wishes;
  const CommandSyntax syntax = syntax_for(wishes);
  if (parse(syntax, arguments) == Parsed::Help) {
    context.out << help_text(syntax);
    return kSuccess;
  }
  if (wishes.name.empty()) {
    context.out << all_models(wishes);
    return kSuccess;
  }
  const auto dataset = wishes.dataset.empty() ? std::optional<std::string_view>()
                                              : std::optional<std::string_view>(wishes.dataset);
  context.out << one_model(find_model(wishes.name, dataset), wishes);
  return kSuccess;
}

}  // namespace lockstep
