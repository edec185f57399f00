#include "nn/description/network_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/regular_file.h"
#include "nn/cost.h"
#include "support/paths.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kExamples = project_path("examples/networks/");

std::string error_of(const std::string& text) {
  try {
    described_model(text, "net.toml");
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

// A network of these layers on images of 8x8 pixels.
std::string with_layers(const std::string& layers) {
  return "image_size = 8\nlayers = [\n" + layers + "\n]\n";
}

// Everything that makes a layer: its values, inputs, shape and pads.
std::string text_of(const Node& node) {
  std::string text =
      fmt::format("{} {} {} pads {} {} {} {}:", node.name, kind_of(node.layer), node.output.text(),
                  node.pads.top, node.pads.bottom, node.pads.left, node.pads.right);
  for (const NodeId input : node.inputs) text += fmt::format(" {}", input);
  if (const auto* conv = std::get_if<Conv>(&node.layer)) {
    text +=
        fmt::format(" {} {}x{} {} {} {} {}", conv->filters, conv->kernel.height, conv->kernel.width,
                    conv->stride, conv->bias, conv->stddev.value_or(-1), conv->initial_bias);
  }
  if (const auto* pool = std::get_if<Pool>(&node.layer)) {
    text += fmt::format(" {}x{} {}", pool->window.height, pool->window.width, pool->stride);
  }
  if (const auto* dense = std::get_if<Dense>(&node.layer)) {
    text += fmt::format(" {} {} {} {}", dense->units, dense->stddev.value_or(-1), dense->gain,
                        dense->initial_bias);
  }
  if (const auto* norm = std::get_if<BatchNorm>(&node.layer)) {
    text += fmt::format(" {} {} {}", norm->decay, norm->epsilon, norm->scale);
  }
  if (const auto* drop = std::get_if<Dropout>(&node.layer)) text += fmt::format(" {}", drop->keep);
  if (const auto* lrn = std::get_if<Lrn>(&node.layer)) {
    text += fmt::format(" {} {} {} {}", lrn->radius, lrn->bias, lrn->alpha, lrn->beta);
  }
  if (const auto* loss = std::get_if<SoftmaxLoss>(&node.layer)) {
    text += fmt::format(" {}", loss->weight);
  }
  return text;
}

void expect_same(const Graph& a, const Graph& b) {
  ASSERT_EQ(a.nodes().size(), b.nodes().size());
  for (size_t i = 0; i < a.nodes().size(); ++i) {
    EXPECT_EQ(text_of(a.nodes()[i]), text_of(b.nodes()[i]));
  }
  EXPECT_EQ(cost_of(a).parameters, cost_of(b).parameters);
  EXPECT_EQ(cost_of(a).forward_macs, cost_of(b).forward_macs);
}

TEST(NetworkFile, ExamplesAreTheNetworksOfTheZoo) {
  for (const std::string name : {"alexnet", "googlenet", "resnet50"}) {
    SCOPED_TRACE(name);
    const Model file = model_named(kExamples + name + ".toml");
    const Model& zoo = find_model(name);
    EXPECT_EQ(file.name, "my_" + name);
    EXPECT_EQ(file.image_size, zoo.image_size);
    EXPECT_EQ(file.default_batch_size, zoo.default_batch_size);
    expect_same(build(file), build(zoo));
    expect_same(build(file, {.num_classes = 7}), build(zoo, {.num_classes = 7}));
  }
}

// One module of Inception v3, whose branches fork: `from` reads a layer a second time. And an
// auxiliary head.
TEST(NetworkFile, NamesMakeAnyGraph) {
  const Model model = described_model(with_layers(R"(
    { concat = [
      [{ conv = 4 }],
      [{ conv = 6, name = "fork" }, { conv = 3, kernel = [1, 3] }],
      [{ conv = 3, kernel = [3, 1], from = "fork" }],
      [{ from = "fork" }],
    ], name = "module" },
    { global_average_pool = true },
    { classify = true },
    { max_pool = 2, from = "module" },
    { classify = true, weight = 0.4, stddev = 0.001 })"),
                                      "net.toml");
  Builder net({3, 8, 8}, {.num_classes = 1001});
  const NodeId a = net.conv(net.image(), {.filters = 4});
  const NodeId fork = net.conv(net.image(), {.filters = 6});
  const NodeId b = net.conv(fork, {.filters = 3, .kernel = {1, 3}});
  const NodeId c = net.conv(fork, {.filters = 3, .kernel = {3, 1}});
  const NodeId module = net.concat({a, b, c, fork});
  net.classify(net.global_average_pool(module));
  net.classify(net.max_pool(module, {}), {.weight = 0.4, .stddev = 0.001});
  expect_same(build(model), std::move(net).finish());
}

TEST(NetworkFile, EveryKindOfLayerIsWhatTheBuilderMakes) {
  const Model model = described_model(R"(
    image_size = 8
    image_channels = 2
    classes = 5
    layers = [
      { conv = 4, kernel = 3, stride = 2, bias = false, stddev = 0.2 },
      { conv = 4, bias = true, initial_bias = 0.1 },
      { depthwise = 3, batch_norm = true, activation = "relu6" },
      { repeat = 2, layers = [{ batch_norm = { epsilon = 1e-5 }, activation = "relu" }] },
      { lrn = 2, bias = 2, alpha = 0.5, beta = 0.25 },
      { pad_channels = [1, 2] },
      { average_pool = [2, 1], stride = 1, padding = "same" },
      { add = [[], [{ activation = "relu" }]] },
      { dense = 9, activation = "none" },
      { dropout = 0.2 },
      { classify = true },
    ]
    [defaults]
    activation = "none"
  )",
                                      "net.toml");
  Builder net({2, 8, 8}, {.num_classes = 5});
  net.set_defaults({.activation = Activation::None});
  NodeId x =
      net.conv(net.image(), {.filters = 4, .kernel = 3, .stride = 2, .bias = false, .stddev = 0.2});
  x = net.conv(x, {.filters = 4, .bias = true, .initial_bias = 0.1});
  x = net.depthwise(x, {.kernel = 3, .batch_norm = true, .activation = Activation::Relu6});
  for (int i = 0; i < 2; ++i) x = net.relu(net.batch_norm(x, {.epsilon = 1e-5}));
  x = net.lrn(x, {.radius = 2, .bias = 2, .alpha = 0.5, .beta = 0.25});
  x = net.pad_channels(x, {.before = 1, .after = 2});
  x = net.average_pool(x, {.window = {2, 1}, .stride = 1, .padding = Padding::Same});
  x = net.add(x, net.relu(x));
  x = net.dropout(net.dense(x, {.units = 9, .activation = Activation::None}), {.keep = 0.8});
  net.classify(x);
  expect_same(build(model), std::move(net).finish());
}

TEST(NetworkFile, AllProblemsOfAFileAreNamedWithLineAndLayer) {
  const std::string error = error_of(R"(image_size = 8
layers = [
  { conv = 0, kernle = 3 },
  { cnv = 3 },
  { concat = [
    [{ dense = "many" }],
  ] },
  7,
]
colour = true
)");
  EXPECT_THAT(error,
              HasSubstr("net.toml:3: layer 1 (conv): conv must be a whole number from 1 to"));
  EXPECT_THAT(error,
              HasSubstr("net.toml:3: layer 1 (conv): unknown key kernle; did you mean kernel?"));
  EXPECT_THAT(error, HasSubstr("net.toml:4: layer 2: unknown kind cnv; did you mean conv?"));
  EXPECT_THAT(error, HasSubstr("net.toml:6: layer 3.1.1 (dense): dense must be a whole number"));
  EXPECT_THAT(error, HasSubstr("net.toml:8: layer 4 must be a table"));
  EXPECT_THAT(error, HasSubstr("net.toml:10: unknown key colour"));
}

// Not a layer of another kind that has one key too many.
TEST(NetworkFile, ASlipInTheKindOfALayerIsNamedWhateverItsOtherKeys) {
  EXPECT_EQ(error_of(with_layers("{ dens = 4, activation = \"relu\" },\n{ classify = true }")),
            "net.toml:3: layer 1: unknown kind dens; did you mean dense?");
  EXPECT_EQ(error_of(with_layers("{ conv2d = 4, batch_norm = true },\n{ classify = true }")),
            "net.toml:3: layer 1: unknown kind conv2d; did you mean conv?");
  EXPECT_EQ(error_of(with_layers("{ activaton = \"relu\" },\n{ classify = true }")),
            "net.toml:3: layer 1: unknown kind activaton; did you mean activation?");
  EXPECT_THAT(
      error_of(with_layers("{ batch_norm = true, activaton = \"relu\" },\n{ classify = true }")),
      HasSubstr("layer 1 (batch_norm): unknown key activaton; did you mean activation?"));
  EXPECT_THAT(error_of(with_layers("{ activation = \"relu\", colour = 3 },\n{ classify = true }")),
              HasSubstr("layer 1 (activation): unknown key colour"));
}

TEST(NetworkFile, ALayerThatDoesNotFitIsNamedWithItsLine) {
  EXPECT_EQ(error_of(with_layers("{ conv = 4 },\n{ max_pool = 9 },\n{ classify = true }")),
            "net.toml:4: layer 2 (max_pool): a 9x9 window is larger than its input 4x8x8");
  EXPECT_THAT(error_of(with_layers("{ add = [[], [{ conv = 4 }]] },\n{ classify = true }")),
              HasSubstr("net.toml:3: layer 1 (add): its branches give 3x8x8 and 4x8x8; both must "
                        "be the same"));
  EXPECT_THAT(error_of(with_layers("{ concat = [[{ conv = 4 }], [{ conv = 4, stride = 2 }]] },\n"
                                   "{ classify = true }")),
              HasSubstr("its branches give 4x8x8 and 4x4x4; heights and widths must be the same"));
  EXPECT_THAT(error_of(with_layers("{ conv = 4, from = \"stem\" },\n{ classify = true }")),
              HasSubstr("net.toml:3: layer 1 (conv): from = \"stem\": no layer above"));
}

TEST(NetworkFile, ALayerThatNeedsHeightAndWidthComesBeforeThoseThatDropThem) {
  for (const char* layer : {"conv = 4", "depthwise = 3", "max_pool = 2", "average_pool = 2",
                            "lrn = 2", "batch_norm = true", "pad_channels = [1, 1]",
                            "global_average_pool = true", "concat = [[], []]"}) {
    EXPECT_THAT(error_of(with_layers(fmt::format(
                    "{{ global_average_pool = true }},\n{{ {} }},\n{{ classify = true }}", layer))),
                AllOf(StartsWith("net.toml:4: layer 2 ("),
                      HasSubstr("): its input has no height and width; put it before ")))
        << layer;
  }
}

TEST(NetworkFile, ABiasThatHasNoPlaceIsRefusedWithItsLine) {
  EXPECT_THAT(error_of(with_layers("{ conv = 4, bias = true, batch_norm = true },\n"
                                   "{ classify = true }")),
              StartsWith("net.toml:3: layer 1 (conv): bias = true: batch normalisation follows"));
  EXPECT_THAT(error_of(with_layers("{ conv = 4, initial_bias = 0.1, batch_norm = true },\n"
                                   "{ classify = true }")),
              AllOf(StartsWith("net.toml:3: layer 1 (conv): initial_bias = 0.1: "),
                    HasSubstr("set batch_norm = false")));
}

TEST(NetworkFile, ANetworkEndsInLosses) {
  EXPECT_THAT(error_of(with_layers("{ conv = 4 }")),
              StartsWith("net.toml:3: layer 1 (conv): the last layer must be"));
  EXPECT_THAT(error_of("image_size = 8\nlayers = []\n"),
              StartsWith("net.toml: layers: the last layer must be"));
  EXPECT_THAT(error_of(with_layers("{ conv = 4 }, { conv = 5, from = \"a\", name = \"b\" }")),
              HasSubstr("no layer above has this name"));
  EXPECT_THAT(error_of(with_layers("{ name = \"a\", conv = 4 }, { conv = 5 },\n"
                                   "{ classify = true, from = \"a\" }")),
              StartsWith("net.toml:3: layer 2 (conv): its output is not used"));
  for (const char* last : {"{ classify = true }", "{ conv = 4 }"}) {
    EXPECT_THAT(error_of(with_layers(std::string("{ classify = true },\n") + last)),
                StartsWith("net.toml:4: layer 2"))
        << last;
    EXPECT_THAT(error_of(with_layers(std::string("{ classify = true },\n") + last)),
                HasSubstr("it follows a classify"));
  }
  EXPECT_THAT(error_of("layers = []\n"), HasSubstr("net.toml: image_size is missing"));
}

TEST(NetworkFile, SizesAreBounded) {
  const std::string deep = "{ repeat = 1000, layers = [";
  EXPECT_THAT(error_of(with_layers(deep + deep + deep + "{ activation = \"none\" }] }] }] }")),
              HasSubstr("too many layers"));
  EXPECT_THAT(error_of(with_layers("{ repeat = 1000, layers = [{ conv = 4 }, { conv = 4 }] }")),
              HasSubstr("more than 2000 layers"));
  EXPECT_THAT(error_of("image_size = 4096\nlayers = [{ conv = 65536 }, { classify = true }]"),
              HasSubstr("values"));
  EXPECT_THAT(error_of(with_layers("{ conv = 65536, kernel = 255 }, { conv = 65536, kernel = 255 },"
                                   "{ classify = true }")),
              AllOf(StartsWith("net.toml:3: layer 2 (conv): the network has"),
                    HasSubstr("parameters, most of them here; at most")));
  EXPECT_THAT(error_of(std::string(70'000, '#')), HasSubstr("a network file has at most"));
}

TEST(NetworkFile, TheNameIsThatOfTheFileAndOfNoOtherNetwork) {
  EXPECT_EQ(described_model(with_layers("{ classify = true }"), "a/my-net.toml").name, "my-net");
  EXPECT_THAT(error_of("name = \"resnet50\"\n" + with_layers("{ classify = true }")),
              StartsWith("net.toml:1: lockstep has a network called resnet50"));
  for (const char* other : {"MobileNet-V2", "mobilenet_v2"}) {
    EXPECT_THAT(
        error_of(fmt::format("name = \"{}\"\n", other) + with_layers("{ classify = true }")),
        HasSubstr(fmt::format("called mobilenet, also known as {};", other)));
  }
  EXPECT_THAT(error_of("name = \"a b\"\n" + with_layers("{ classify = true }")),
              AllOf(StartsWith("net.toml:1: "), HasSubstr("must be at most 64 letters")));
}

TEST(NetworkFile, ANameBelongsToOneLayer) {
  EXPECT_THAT(error_of(with_layers("{ conv = 4, name = \"a\" },\n{ conv = 5, name = \"a\" },\n"
                                   "{ classify = true, from = \"a\" }")),
              HasSubstr("net.toml:4: layer 2 (conv): name = \"a\": a layer above has this name"));
  const std::string repeated =
      "{ repeat = 2, layers = [{ conv = 4, name = \"a\" }] },\n{ classify = true, from = \"a\" }";
  EXPECT_EQ(error_of(with_layers(repeated)), "");
}

TEST(NetworkFile, ARepeatHasLayers) {
  EXPECT_THAT(error_of(with_layers("{ repeat = 3 },\n{ classify = true }")),
              HasSubstr("net.toml:3: layer 1 (repeat): layers is missing"));
  EXPECT_THAT(error_of(with_layers("{ repeat = 3, layers = [] },\n{ classify = true }")),
              HasSubstr("layers must be a list of layers"));
}

TEST(NetworkFile, AWordThatNearlyNamesAFileIsRefusedWithTheName) {
  const auto complaint = [](const std::string& name) -> std::string {
    try {
      model_named(name);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  const std::string stem = kExamples + "alexnet";
  EXPECT_THAT(complaint(stem), HasSubstr("did you mean the file " + stem + ".toml?"));
  EXPECT_THAT(complaint(stem + ".toml:32"), HasSubstr("give batch sizes with --batch-size 32"));
  EXPECT_THAT(complaint("resnet50:32"), HasSubstr("give batch sizes with --batch-size 32"));
  const std::filesystem::path other = std::filesystem::path(testing::TempDir()) / "net.txt";
  std::ofstream(other) << "image_size = 8\n";
  EXPECT_THAT(complaint(other.string()), HasSubstr("ends in .toml"));
  std::filesystem::remove(other);
}

TEST(NetworkFile, ALoadedRunNeedsNoFile) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "gone.toml";
  std::ofstream(path) << "# a comment\n" << with_layers("  # another\n{ classify = true }");
  RunConfig run;
  run.model = path.string();
  load_network(run);
  std::filesystem::remove(path);
  EXPECT_EQ(run.model, "gone");
  EXPECT_EQ(run.network_file, path.string());
  EXPECT_EQ(run.network, with_layers("{ classify = true }"));
  EXPECT_EQ(model_of(run).name, "gone");
  EXPECT_EQ(build(model_of(run)).nodes().size(), 3U);
}

TEST(NetworkFile, ALoadedRunKeepsANameWithADot) {
  RunConfig run;
  run.model = "resnet50.mine";
  run.network = with_layers("{ classify = true }");
  EXPECT_EQ(model_of(run).name, "resnet50.mine");
}

TEST(NetworkFile, TheDataSetIsThatOfTheRunUnlessTheFileNamesOne) {
  RunConfig run;
  run.model = "net";
  run.data_name = "mnist";
  run.network = with_layers("{ classify = true }");
  EXPECT_EQ(model_of(run).dataset, "mnist");
  run.network = "dataset = \"cifar10\"\n" + run.network;
  EXPECT_THROW(model_of(run), UsageError);
  run.data_name = "";
  EXPECT_EQ(classes_of(model_of(run)), 11);
}

}  // namespace
}  // namespace lockstep
