// How every engine behaves towards the rest of the program: layouts, the order in which gradients
// become ready, repeatability, and what an observer hears.
#include <gmock/gmock.h>

#include <limits>
#include <numeric>
#include <set>

#include "contract/engine_fixture.h"
#include "nn/parameters.h"

namespace lockstep {
namespace {

class EngineProtocol : public PerEngine {};

std::vector<std::vector<float>> gradients(const Replica& replica) {
  std::vector<std::vector<float>> all;
  for (ParameterId id = 0; id < replica.parameter_count(); ++id) {
    all.push_back(replica.plain_gradient(id));
  }
  return all;
}

TEST_P(EngineProtocol, ParametersAreThoseOfTheGraphByName) {
  for (const SmallNetwork& network : all_small_networks()) {
    const std::vector<ParameterSpec> specs = parameters_of(network.graph);
    Replica replica = this->replica(network);
    const auto infos = replica.engine().parameters();
    ASSERT_EQ(infos.size(), specs.size()) << network.name;
    for (size_t id = 0; id < specs.size(); ++id) {
      EXPECT_EQ(infos[id].name, specs[id].name);
      EXPECT_EQ(infos[id].shape, specs[id].shape) << specs[id].name;
      EXPECT_EQ(infos[id].decays, specs[id].decays) << specs[id].name;
      EXPECT_GE(infos[id].stored_floats, specs[id].shape.elements()) << specs[id].name;
    }
  }
}

TEST_P(EngineProtocol, PlainValuesSurviveTheWayToTheStoredLayoutAndBack) {
  for (const SmallNetwork& network : all_small_networks()) {
    Replica replica = this->replica(network);
    for (ParameterId id = 0; id < replica.parameter_count(); ++id) {
      std::vector<float> plain(replica.plain_values(id).size());
      std::iota(plain.begin(), plain.end(), 1.0f);
      replica.set_plain(id, plain);
      EXPECT_TRUE(replica.plain_values(id) == plain)
          << network.name << " " << replica.parameter_name(id);
    }
  }
}

// Where the stored layout of a parameter has padding, found by writing ones.
std::vector<bool> padding_of(Replica& replica, ParameterId id) {
  const std::vector<float> ones(replica.plain_values(id).size(), 1.0f);
  std::vector<float> stored(replica.arena().values(id).size(),
                            std::numeric_limits<float>::quiet_NaN());
  replica.engine().write_plain(id, ones, stored);
  std::vector<bool> padding;
  size_t holes = 0;
  for (const float value : stored) {
    EXPECT_TRUE(value == 0 || value == 1) << "write_plain left " << value;
    padding.push_back(value == 0);
    holes += value == 0;
  }
  EXPECT_EQ(stored.size() - holes, ones.size()) << "of " << replica.parameter_name(id);
  return padding;
}

TEST_P(EngineProtocol, PaddingInTheStoredLayoutStaysZero) {
  for (const SmallNetwork& network : all_small_networks()) {
    Replica replica = this->replica(network);
    replica.train(examples(network).batch(), 0.1);
    for (ParameterId id = 0; id < replica.parameter_count(); ++id) {
      const std::vector<bool> padding = padding_of(replica, id);
      const std::span<const float> values = replica.arena().values(id);
      int dirty = 0;
      for (size_t i = 0; i < values.size(); ++i) dirty += padding[i] && values[i] != 0;
      EXPECT_EQ(dirty, 0) << network.name << " " << replica.parameter_name(id);
    }
  }
}

TEST_P(EngineProtocol, EveryGradientIsReadyOnceInTheOrderPromised) {
  for (const SmallNetwork& network : block_networks()) {
    Replica replica = this->replica(network);
    const Examples examples = this->examples(network);
    std::vector<ParameterId> order;
    replica.engine().forward(examples.batch());
    replica.engine().backward([&](ParameterId id) { order.push_back(id); });
    EXPECT_THAT(order, ::testing::ElementsAreArray(replica.engine().backward_order()));
    EXPECT_EQ(std::set(order.begin(), order.end()).size(), size_t(replica.parameter_count()));
  }
}

TEST_P(EngineProtocol, AReadyGradientDoesNotChangeAnyMore) {
  for (const SmallNetwork& network : block_networks()) {
    Replica replica = this->replica(network);
    const Examples examples = this->examples(network);
    std::vector<std::vector<float>> when_ready(replica.parameter_count());
    replica.engine().forward(examples.batch());
    replica.engine().backward([&](ParameterId id) { when_ready[id] = replica.plain_gradient(id); });
    EXPECT_TRUE(when_ready == gradients(replica)) << network.name;
  }
}

TEST_P(EngineProtocol, ValuesMayChangeAsSoonAsTheirGradientIsReady) {
  for (const SmallNetwork& network : block_networks()) {
    Replica quiet = this->replica(network), busy = this->replica(network);
    const Examples examples = this->examples(network);
    quiet.step(examples.batch());
    busy.engine().forward(examples.batch());
    busy.engine().backward([&](ParameterId id) {
      busy.set_plain(id, std::vector<float>(busy.plain_values(id).size(), 1000.0f));
    });
    EXPECT_TRUE(gradients(busy) == gradients(quiet)) << network.name;
  }
}

TEST_P(EngineProtocol, TwoEnginesWithOneSeedAgreeToTheLastBit) {
  for (const SmallNetwork& network : block_networks()) {
    const EngineOptions options{.batch = network.batch, .threads = 2, .seed = kSeed};
    Replica one = this->replica(network.graph, options);
    Replica two = this->replica(network.graph, options);
    for (uint64_t step = 0; step < 3; ++step) {
      const Examples examples = this->examples(network, step);
      EXPECT_EQ(one.train(examples.batch(), 0.01).loss, two.train(examples.batch(), 0.01).loss)
          << network.name << " in step " << step;
      EXPECT_TRUE(gradients(one) == gradients(two)) << network.name << " in step " << step;
    }
  }
}

TEST_P(EngineProtocol, TwoThreadsComputeWhatOneDoes) {
  for (const SmallNetwork& network : all_small_networks()) {
    Replica one = this->replica(network.graph, {.batch = network.batch, .threads = 1});
    Replica two = this->replica(network.graph, {.batch = network.batch, .threads = 2});
    one.step(examples(network).batch());
    two.step(examples(network).batch());
    for (ParameterId id = 0; id < one.parameter_count(); ++id) {
      const std::vector<float> expected = one.plain_gradient(id);
      EXPECT_LE(distance(two.plain_gradient(id), expected), 1e-5 * norm(expected) + 1e-6)
          << network.name << " " << one.parameter_name(id);
    }
  }
}

TEST_P(EngineProtocol, DropoutDropsOtherValuesInTheNextStepAndWithAnotherSeed) {
  const SmallNetwork network = small_network("DenseWithDropout");
  const Examples examples = this->examples(network);
  Replica replica = this->replica(network);
  const float first = replica.engine().forward(examples.batch()).loss;
  EXPECT_NE(replica.engine().forward(examples.batch()).loss, first);
  Replica other = this->replica(network.graph, {.batch = network.batch, .seed = kSeed + 1});
  EXPECT_NE(other.engine().forward(examples.batch()).loss, first);
}

TEST_P(EngineProtocol, AnEngineThatCountsFromAStepDropsWhatThatStepDrops) {
  const SmallNetwork network = small_network("DenseWithDropout");
  const Examples examples = this->examples(network);
  Replica replica = this->replica(network), later = this->replica(network);
  replica.engine().forward(examples.batch());
  replica.engine().forward(examples.batch());
  later.engine().count_from(2);
  EXPECT_EQ(later.engine().forward(examples.batch()).loss,
            replica.engine().forward(examples.batch()).loss);
}

TEST_P(EngineProtocol, TheLayoutOfImagesDoesNotMatter) {
  for (const SmallNetwork& network : all_small_networks()) {
    const Examples examples = this->examples(network);
    const std::vector<float> pixels = by_pixel(network.graph, examples.images);
    Replica plane = this->replica(network);
    Replica pixel = this->replica(
        network.graph, {.batch = network.batch, .layout = ImageLayout::Nhwc, .seed = kSeed});
    const float expected = plane.step(examples.batch()).loss;
    EXPECT_NEAR(pixel.step({pixels, examples.labels}).loss, expected, 1e-5 * expected);
    for (ParameterId id = 0; id < plane.parameter_count(); ++id) {
      const std::vector<float> gradient = plane.plain_gradient(id);
      EXPECT_LE(distance(pixel.plain_gradient(id), gradient), 1e-5 * norm(gradient) + 1e-6)
          << network.name << " " << plane.parameter_name(id);
    }
  }
}

struct Recorder : OpObserver {
  struct Event {
    int op;
    Pass pass;
    TimePoint begin, end;
  };
  std::vector<Event> events;
  void executed(int op, Pass pass, TimePoint begin, TimePoint end) override {
    events.push_back({op, pass, begin, end});
  }
};

TEST_P(EngineProtocol, AnObserverHearsOfEveryOperationOncePerPassInOrder) {
  for (const SmallNetwork& network : block_networks()) {
    Replica replica = this->replica(network);
    Recorder recorder;
    replica.engine().observe(&recorder);
    replica.step(examples(network).batch());
    replica.engine().observe(nullptr);
    replica.step(examples(network).batch());

    const int ops = static_cast<int>(replica.engine().ops().size());
    ASSERT_EQ(recorder.events.size(), size_t(2 * ops)) << network.name;
    for (int i = 0; i < 2 * ops; ++i) {
      const Recorder::Event& event = recorder.events[i];
      EXPECT_EQ(event.pass, i < ops ? Pass::Forward : Pass::Backward);
      EXPECT_EQ(event.op, i < ops ? i : 2 * ops - 1 - i);
      EXPECT_LE(event.begin, event.end);
      if (i > 0) {
        EXPECT_LE(recorder.events[i - 1].end, event.begin);
      }
    }
  }
}

TEST_P(EngineProtocol, OperationsCarryNamesOfTheGraph) {
  for (const SmallNetwork& network : all_small_networks()) {
    std::set<std::string> names;
    for (const Node& node : network.graph.nodes()) names.insert(node.name);
    Replica replica = this->replica(network);
    for (const OpInfo& op : replica.engine().ops()) {
      EXPECT_TRUE(names.contains(op.layer)) << network.name << " has no layer " << op.layer;
      EXPECT_FALSE(op.what.empty());
      EXPECT_FALSE(op.kernel.empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, EngineProtocol, ::testing::ValuesIn(all_engines()), engine_name);

}  // namespace
}  // namespace lockstep
