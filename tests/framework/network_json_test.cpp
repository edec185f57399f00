#include "framework/network_json.h"

#include <gtest/gtest.h>

#include <set>

#include "config/json.h"
#include "nn/cost.h"
#include "nn/zoo.h"

namespace lockstep {
namespace {

Json layer_of(const Json& network, const std::string& name) {
  for (const Json& layer : network.at("layers")) {
    if (layer.at("name") == name) return layer;
  }
  return {};
}

TEST(NetworkJson, HasAllLayersAndVariablesOfEveryModel) {
  for (const Model& model : models()) {
    const Graph graph = build(model);
    const Json network = network_json(graph);
    EXPECT_EQ(network.at("layers").size(), graph.nodes().size()) << model.name;
    int64_t values = 0;
    for (const Json& variable : network.at("variables")) {
      int64_t size = 1;
      for (const int64_t extent : variable.at("shape")) size *= extent;
      values += size;
    }
    EXPECT_EQ(values, cost_of(graph).parameters) << model.name;
  }
}

TEST(NetworkJson, EveryInputIsAnEarlierLayer) {
  for (const Model& model : models()) {
    std::set<std::string> known;
    const Json network = network_json(build(model));
    for (const Json& layer : network.at("layers")) {
      for (const Json& input : layer.value("inputs", Json::array())) {
        EXPECT_TRUE(known.contains(input)) << model.name << " " << layer.at("name");
      }
      known.insert(layer.at("name"));
    }
  }
}

TEST(NetworkJson, LayersHaveWhatBuildingThemNeeds) {
  const Json resnet = network_json(build(find_model("resnet50")));
  const Json conv = layer_of(resnet, "conv0");
  EXPECT_EQ(conv.at("kernel"), Json({7, 7}));
  EXPECT_EQ(conv.at("stride"), 2);
  EXPECT_EQ(conv.at("pads"), Json({3, 3, 3, 3}));
  EXPECT_EQ(conv.at("bias"), false);
  const Json norm = layer_of(resnet, "batchnorm0");
  EXPECT_EQ(norm.at("epsilon"), 1e-5);
  EXPECT_EQ(norm.at("scale"), true);
  const Json alexnet = network_json(build(find_model("alexnet")));
  for (const Json& layer : alexnet.at("layers")) {
    if (layer.at("kind") == "dropout") {
      EXPECT_EQ(layer.at("keep"), 0.5);
    }
  }
}

TEST(NetworkJson, VariablesSayHowTheyStart) {
  const Json network = network_json(build(find_model("resnet50")));
  for (const Json& variable : network.at("variables")) {
    const std::string role = variable.at("role");
    if (role == "kernel") {
      EXPECT_GT(variable.at("initial").at("truncated_normal"), 0);
    }
    if (role == "gamma") {
      EXPECT_EQ(variable.at("initial").at("constant"), 1);
    }
    if (role == "beta") {
      EXPECT_EQ(variable.at("initial").at("constant"), 0);
    }
  }
}

}  // namespace
}  // namespace lockstep
