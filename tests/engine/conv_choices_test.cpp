// Which method computes each convolution: as text, as measured, and as an engine obeys it.
#include "engine/conv_choices.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "engine/native/conv_tuning.h"
#include "engine/native/native_engine.h"
#include "engine/reference/replica.h"
#include "engine/reference/small_networks.h"

namespace lockstep {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(ConvChoices, SurviveARoundTripThroughText) {
  const ConvChoices choices = {{"forward 3x3/1 8x4x4", "winograd"},
                               {"backward-data 1x7/1 8x4x4", "direct"}};
  EXPECT_EQ(conv_choices_from_text(to_text(choices)), choices);
  EXPECT_EQ(to_text(ConvChoices{}), "");
}

TEST(ConvChoices, InvalidTextIsRefused) {
  for (const char* text : {"winograd", ": forward", "winograd: ", "winograd: a\n\xff\xfe"}) {
    EXPECT_THROW(conv_choices_from_text(text), Error) << text;
  }
}

// Two convolutions of equal shape, and one that only direct convolution fits.
Graph network() {
  Graph graph({3, 10, 10});
  NodeId x = graph.add("first", Conv{.filters = 16, .kernel = 1}, {graph.image()});
  x = graph.add("second", Conv{.filters = 16, .kernel = 3}, {x});
  x = graph.add("third", Conv{.filters = 16, .kernel = 3}, {x});
  x = graph.add("fourth", Conv{.filters = 16, .kernel = 1, .stride = 2}, {x});
  add_head(graph, x);
  return graph;
}

constexpr uint64_t kSeed = 3;
EngineOptions options_with(const ConvChoices& choices) {
  return {.batch = 2, .threads = 1, .conv_choices = choices};
}

ConvChoices all_by(const std::string& method) {
  ConvChoices choices = measure_conv_choices(network(), options_with({}), {});
  for (auto& [work, chosen] : choices) chosen = method;
  return choices;
}

std::string kernel_of(const std::string& layer, const EngineOptions& options) {
  const Graph graph = network();
  const auto engine = make_native_engine(graph, options);
  for (const OpInfo& op : engine->ops()) {
    if (op.layer == layer) return op.kernel;
  }
  return "no such layer";
}

std::vector<float> gradients(const EngineOptions& options) {
  const Graph graph = network();
  Replica replica(graph, make_native_engine(graph, options));
  replica.fill(kSeed);
  const Examples examples = random_examples(graph, options.batch, kSeed);
  replica.step(examples.batch());
  const auto all = replica.arena().all_gradients();
  return {all.begin(), all.end()};
}

TEST(ConvChoices, AreMeasuredOncePerShapeAndDirection) {
  const ConvChoices choices = measure_conv_choices(network(), options_with({}), {});
  ASSERT_EQ(choices.size(), 3u);
  for (const auto& [work, method] : choices) {
    EXPECT_THAT(work, HasSubstr(" 3x3/1 16x10x10 to 16x10x10 "));
    EXPECT_THAT(work, EndsWith(" batch 2"));
  }
}

TEST(ConvChoices, ThatAreKnownAreNotMeasured) {
  const ConvChoices known = all_by("direct");
  EXPECT_EQ(measure_conv_choices(network(), options_with({}), known), known);
  EXPECT_EQ(measure_conv_choices(network(), options_with({}), all_by("winograd")),
            all_by("winograd"));
}

TEST(ConvChoices, OfAMethodThatDoesNotExistAreMeasuredAgain) {
  for (const auto& [work, method] :
       measure_conv_choices(network(), options_with({}), all_by("magic"))) {
    EXPECT_NE(method, "magic") << work;
  }
}

TEST(ConvChoices, AreUsedByTheEngine) {
  EXPECT_EQ(kernel_of("second", options_with(all_by("winograd"))), "winograd winograd winograd");
  EXPECT_THAT(kernel_of("second", options_with(all_by("direct"))), HasSubstr("jit"));
  ConvChoices mixed = all_by("direct");
  for (auto& [work, method] : mixed) {
    if (work.starts_with("backward-weights")) method = "winograd";
  }
  EXPECT_THAT(kernel_of("third", options_with(mixed)), HasSubstr("jit"));
  EXPECT_THAT(kernel_of("third", options_with(mixed)), EndsWith(" winograd"));
}

TEST(ConvChoices, GiveTheSameBitsEveryTime) {
  for (const char* method : {"direct", "winograd"}) {
    const EngineOptions options = options_with(all_by(method));
    EXPECT_EQ(gradients(options), gradients(options)) << method;
  }
}

}  // namespace
}  // namespace lockstep
