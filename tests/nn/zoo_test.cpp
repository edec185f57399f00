#include "nn/zoo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "nn/cost.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string error_of(std::string_view name, std::optional<std::string_view> dataset = {}) {
  try {
    return "found " + std::string(find_model(name, dataset).name);
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(Zoo, EveryModelIsFoundByItsNameAlone) {
  for (const Model& model : models()) EXPECT_EQ(&find_model(model.name), &model) << model.name;
}

TEST(Zoo, SpellingsOfOneNameMeanOneModel) {
  for (const char* name : {"Inceptionv3", "inception-v3", "INCEPTION_3", "inception3"}) {
    EXPECT_EQ(find_model(name).name, "inception3") << name;
  }
  for (const char* name : {"resnet50_v1.5", "ResNet50v1.5", "resnet50-v1_5", "resnet-50-v1.5"}) {
    EXPECT_EQ(find_model(name).name, "resnet50_v1.5") << name;
  }
  for (const char* name : {"ResNet-50", "resnet50_v1", "resnet_50"}) {
    EXPECT_EQ(find_model(name).name, "resnet50") << name;
  }
  EXPECT_EQ(find_model("resnet101v2").name, "resnet101_v2");
  EXPECT_EQ(find_model("VGG-16").name, "vgg16");
  EXPECT_EQ(find_model("DenseNet-40-k12").name, "densenet40_k12");
  EXPECT_EQ(find_model("MobileNetV2").name, "mobilenet");
  EXPECT_EQ(find_model("LeNet-5").name, "lenet");
}

TEST(Zoo, ASharedNameMeansTheModelOfTheDataSet) {
  EXPECT_EQ(find_model("alexnet").name, "alexnet");
  EXPECT_EQ(find_model("alexnet", "imagenet").name, "alexnet");
  EXPECT_EQ(find_model("alexnet", "cifar10").name, "cifar10_alexnet");
  EXPECT_EQ(find_model("trivial", "cifar10").name, "cifar10_trivial");
  EXPECT_EQ(find_model("cifar10_alexnet").name, "cifar10_alexnet");
  EXPECT_EQ(find_model("cifar10_alexnet", "cifar10").name, "cifar10_alexnet");
}

TEST(Zoo, AModelOfOneDataSetImpliesIt) {
  EXPECT_EQ(find_model("resnet20").dataset, "cifar10");
  EXPECT_EQ(find_model("cifar10_resnet20").name, "resnet20");
  EXPECT_EQ(find_model("mnist").dataset, "mnist");
}

TEST(Zoo, AModelOfAnotherDataSetIsAnError) {
  EXPECT_THAT(error_of("resnet20", "imagenet"), HasSubstr("is for data set cifar10, not imagenet"));
  EXPECT_THAT(error_of("resnet50", "imagnet"), HasSubstr("imagenet, cifar10, mnist"));
}

TEST(Zoo, AnUnknownNameIsAnErrorWithCloseNames) {
  EXPECT_THAT(error_of("resnet51"), HasSubstr("resnet50"));
  EXPECT_THAT(error_of("incepton3"), HasSubstr("inception3"));
  EXPECT_THAT(error_of("densenet"), HasSubstr("densenet40_k12"));
  EXPECT_THAT(error_of("transformer"), Not(HasSubstr("did you mean")));
  EXPECT_THAT(error_of("transformer"), HasSubstr("lockstep models"));
  EXPECT_THAT(error_of(""), HasSubstr("unknown model"));
  EXPECT_THAT(error_of("resnet502"), HasSubstr("unknown model"));
  EXPECT_THAT(error_of("cifar10"), HasSubstr("unknown model"));
}

TEST(Zoo, TheNumberOfClassesChangesTheClassifierAlone) {
  const Cost usual = cost_of(build(find_model("resnet50")));
  const Cost ten = cost_of(build(find_model("resnet50"), {.num_classes = 10}));
  EXPECT_EQ(usual.parameters - ten.parameters, (1001 - 10) * (2048 + 1));
  EXPECT_EQ(usual.forward_macs - ten.forward_macs, (1001 - 10) * 2048);
  EXPECT_EQ(usual.gradient_tensors, ten.gradient_tensors);
}

TEST(Zoo, EveryModelTakesAnotherNumberOfClasses) {
  for (const Model& model : models()) {
    const Graph graph = build(model, {.num_classes = 7});
    const NodeId loss = static_cast<NodeId>(graph.nodes().size()) - 1;
    EXPECT_EQ(graph.shape(graph.node(loss).inputs[0]), Shape{7}) << model.name;
  }
}

TEST(Zoo, ANetworkNeedsTwoClasses) {
  EXPECT_THROW(build(find_model("lenet"), {.num_classes = 1}), UsageError);
  EXPECT_THROW(build(find_model("lenet"), {.num_classes = -3}), UsageError);
}

TEST(Zoo, OnlyInception3HasAnAuxiliaryHead) {
  for (const Model& model : models()) {
    const bool has_one = model.name == "inception3";
    if (has_one) {
      EXPECT_NO_THROW(build(model, {.aux_head = true}));
    } else {
      EXPECT_THROW(build(model, {.aux_head = true}), UsageError) << model.name;
    }
  }
}

TEST(Zoo, EveryNetworkEndsInItsLossAndUsesEveryLayer) {
  for (const Model& model : models()) {
    const Graph graph = build(model);
    EXPECT_TRUE(std::holds_alternative<SoftmaxLoss>(graph.nodes().back().layer)) << model.name;
    const auto consumers = consumers_of(graph);
    for (size_t id = 0; id + 1 < graph.nodes().size(); ++id) {
      EXPECT_FALSE(consumers[id].empty()) << model.name << ": " << graph.nodes()[id].name;
    }
  }
}

TEST(Zoo, EveryModelBelongsToAKnownDataSet) {
  for (const Model& model : models()) EXPECT_NO_THROW(find_dataset(model.dataset)) << model.name;
}

}  // namespace
}  // namespace lockstep
