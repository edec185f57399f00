// Every layer of every model against facts/: kernel, stride, pads, shapes, parameters, MACs. The
// facts come from the published definitions of the networks, not from this program.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <ostream>

#include "nn/cost.h"
#include "nn/parameters.h"
#include "nn/zoo.h"
#include "support/paths.h"

namespace lockstep {
namespace {

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(project_path("tests/nn/facts/") + file);
  EXPECT_TRUE(in) << "no facts for " << file;
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string window(Extent extent) { return fmt::format("{}x{}", extent.height, extent.width); }
std::string pads(const Node& node) {
  return fmt::format("{} {} {} {}", node.pads.top, node.pads.bottom, node.pads.left,
                     node.pads.right);
}
std::string start(std::optional<double> stddev, double bias) {
  std::vector<std::string> parts;
  if (stddev) parts.push_back(fmt::format("stddev={:.6g}", *stddev));
  if (bias != 0) parts.push_back(fmt::format("bias={}", bias));
  return fmt::format("{}", fmt::join(parts, " "));
}

// The columns of the facts that differ by layer.
struct Columns {
  std::string layer = "", window = "", stride = "", pads = "", input = "", settings = "";
};

struct Describe {
  const Node& node;
  const Shape& input;

  Columns operator()(const Conv& conv) const {
    return {node.name,  window(conv.kernel), std::to_string(conv.stride),
            pads(node), input.text(),        start(conv.stddev, conv.initial_bias)};
  }
  Columns operator()(const Pool& pool) const {
    return {"", window(pool.window), std::to_string(pool.stride), pads(node), input.text(), ""};
  }
  Columns operator()(const Dense& dense) const {
    return {.layer = node.name,
            .input = std::to_string(input.elements()),
            .settings = start(dense.stddev, dense.initial_bias)};
  }
  Columns operator()(const BatchNorm& norm) const {
    return {.layer = node.name,
            .input = input.text(),
            .settings = fmt::format("decay={:g} epsilon={:g}", norm.decay, norm.epsilon)};
  }
  Columns operator()(const Lrn& lrn) const {
    return {.settings = fmt::format("radius={} bias={:g} alpha={:.6g} beta={:g}", lrn.radius,
                                    lrn.bias, lrn.alpha, lrn.beta)};
  }
  Columns operator()(const Dropout& dropout) const {
    return {.settings = fmt::format("keep={:g}", dropout.keep)};
  }
  Columns operator()(const SoftmaxLoss& loss) const {
    return {.settings = fmt::format("weight={:g}", loss.weight)};
  }
  Columns operator()(const auto&) const { return {}; }
};

std::string parameters_text(const std::vector<ParameterSpec>& parameters, const Node& node,
                            NodeId id) {
  std::vector<std::string> parts;
  for (const ParameterSpec& parameter : parameters) {
    if (parameter.node != id) continue;
    EXPECT_TRUE(parameter.name.starts_with(node.name + "/"));
    parts.push_back(parameter.name.substr(node.name.size() + 1) + "=" + parameter.shape.text());
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

std::vector<std::string> rows_of(const Graph& graph) {
  const std::vector<ParameterSpec> parameters = parameters_of(graph);
  std::vector<std::string> rows = {
      "layer,kind,window,stride,pads,input,output,parameters,macs,settings"};
  for (NodeId id = 1; id < std::ssize(graph.nodes()); ++id) {
    const Node& node = graph.node(id);
    const Columns c = std::visit(Describe{node, graph.shape(node.inputs[0])}, node.layer);
    const int64_t macs = forward_macs(graph, id);
    rows.push_back(fmt::format("{},{},{},{},{},{},{},{},{},{}", c.layer, kind_of(node.layer),
                               c.window, c.stride, c.pads, c.input, node.output.text(),
                               parameters_text(parameters, node, id),
                               macs ? std::to_string(macs) : "", c.settings));
  }
  return rows;
}

std::string summary_row(const std::string& name, const Model& model, const Graph& graph) {
  const Cost cost = cost_of(graph);
  int64_t decayed = 0;
  for (const ParameterSpec& parameter : parameters_of(graph)) {
    if (parameter.decays) decayed += parameter.shape.elements();
  }
  int convs = 0, norms = 0;
  for (const Node& node : graph.nodes()) {
    convs += std::holds_alternative<Conv>(node.layer);
    norms += std::holds_alternative<BatchNorm>(node.layer);
  }
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}", name, model.dataset, model.image_size,
                     model.image_channels, model.default_batch_size, cost.parameters, decayed,
                     cost.moving_averages, cost.gradient_tensors, convs, norms, cost.forward_macs);
}

struct Case {
  std::string facts;  // name in facts/
  const Model* model;
  ModelOptions options;
};

void PrintTo(const Case& model, std::ostream* out) { *out << model.facts; }

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Model& model : models()) all.push_back({std::string(model.name), &model, {}});
  all.push_back({"inception3_aux", &find_model("inception3"), {.aux_head = true}});
  return all;
}

class ModelFacts : public ::testing::TestWithParam<Case> {};

TEST_P(ModelFacts, EveryLayerIsAsPublished) {
  const std::vector<std::string> expected = lines_of(GetParam().facts + ".csv");
  const std::vector<std::string> actual = rows_of(build(*GetParam().model, GetParam().options));
  for (size_t i = 0; i < std::min(expected.size(), actual.size()); ++i) {
    ASSERT_EQ(actual[i], expected[i]) << "row " << i;
  }
  EXPECT_EQ(actual.size(), expected.size());
}

TEST_P(ModelFacts, TotalsAreAsPublished) {
  const std::string row = summary_row(GetParam().facts, *GetParam().model,
                                      build(*GetParam().model, GetParam().options));
  const std::vector<std::string> summary = lines_of("summary.csv");
  EXPECT_EQ(std::ranges::count(summary, row), 1) << row;
}

TEST_P(ModelFacts, ParametersAreListedInTheOrderOfTheirLayers) {
  const std::vector<ParameterSpec> parameters =
      parameters_of(build(*GetParam().model, GetParam().options));
  EXPECT_TRUE(std::ranges::is_sorted(parameters, {}, &ParameterSpec::node));
}

std::string test_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.facts;
  std::ranges::replace(name, '.', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Zoo, ModelFacts, ::testing::ValuesIn(cases()), test_name);

TEST(ModelFacts, CoverTheWholeTable) {
  EXPECT_EQ(lines_of("summary.csv").size(), 1 + cases().size());
}

}  // namespace
}  // namespace lockstep
