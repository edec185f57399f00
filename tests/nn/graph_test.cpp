#include "nn/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace lockstep {
namespace {

TEST(Graph, StartsWithItsImage) {
  const Graph graph({3, 8, 8});
  EXPECT_EQ(graph.shape(graph.image()), (Shape{3, 8, 8}));
}

TEST(Graph, RefusesASecondLayerOfOneName) {
  Graph graph({3, 8, 8});
  graph.add("relu", Relu{}, {graph.image()});
  EXPECT_THROW(graph.add("relu", Relu{}, {graph.image()}), Error);
}

TEST(Graph, KnowsWhoReadsEachOutput) {
  Graph graph({3, 8, 8});
  const NodeId a = graph.add("a", Relu{}, {graph.image()});
  const NodeId sum = graph.add("sum", Add{}, {graph.image(), a});
  const auto consumers = consumers_of(graph);
  EXPECT_THAT(consumers[graph.image()], ::testing::ElementsAre(a, sum));
  EXPECT_THAT(consumers[a], ::testing::ElementsAre(sum));
  EXPECT_THAT(consumers[sum], ::testing::IsEmpty());
}

TEST(Graph, TheMainHeadIsTheLastOfThoseWithTheLargestWeight) {
  Graph graph({3, 8, 8});
  const NodeId flat = graph.add("flat", GlobalAveragePool{}, {graph.image()});
  EXPECT_EQ(main_head(graph), graph.image());
  const auto with_head = [&](const char* name, double weight) {
    const NodeId head = graph.add(name, SoftmaxLoss{.weight = weight}, {flat});
    return std::pair(head, main_head(graph));
  };
  const auto [small, first] = with_head("small", 0.5);
  EXPECT_EQ(first, small);
  const auto [large, second] = with_head("large", 2);
  EXPECT_EQ(second, large);
  const auto [equal, third] = with_head("equal", 2);
  EXPECT_EQ(third, equal);
  EXPECT_EQ(with_head("smaller", 0.4).second, equal);
}

}  // namespace
}  // namespace lockstep
