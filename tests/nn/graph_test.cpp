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

}  // namespace
}  // namespace lockstep
