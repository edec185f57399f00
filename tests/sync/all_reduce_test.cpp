#include "sync/all_reduce.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/error.h"
#include "comm/local.h"
#include "support/reference_engine.h"
#include "support/replica.h"
#include "support/small_networks.h"
#include "train/replicated.h"

namespace lockstep {
namespace {

constexpr double kRate = 0.05;
constexpr int kSteps = 4;

void train(Replica& replica, Strategy& strategy, std::span<const Batch> batches) {
  strategy.start();
  for (const Batch& batch : batches) {
    strategy.begin_step(kRate);
    replica.engine().forward(batch);
    replica.engine().backward([&](ParameterId id) { strategy.gradient_ready(id); });
    strategy.finish_step();
  }
}

// What a run leaves behind, in plain layout.
using Values = std::vector<std::vector<float>>;
Values values_of(const Replica& replica) {
  Values values;
  for (ParameterId id = 0; id < replica.parameter_count(); ++id) {
    values.push_back(replica.plain_values(id));
  }
  return values;
}

struct Setting {
  int ranks;
  SyncOptions options;
  std::string optimizer = "momentum";
};

// A rank's part of the examples of every step.
struct Share {
  int rank = 0, ranks = 1;
  int total_batch;
};

class AllReduceTraining : public testing::Test {
 protected:
  const SmallNetwork network_ = small_network("ConvWithTwoReaders");  // no batch normalisation

  Values train_one(const Share& share, uint64_t seed, Communicator& communicator,
                   const Setting& setting) const {
    const int batch = share.total_batch / share.ranks;
    Replica replica(network_.graph, make_reference_engine(network_.graph, {.batch = batch}));
    replica.fill(seed);
    AllReduce strategy(
        replicated_of(replica.engine(), replica.arena(), {.name = setting.optimizer}), communicator,
        setting.options);
    std::vector<Examples> all;
    std::vector<Batch> batches;
    for (int step = 0; step < kSteps; ++step) {
      all.push_back(random_examples(network_.graph, share.total_batch, 100 + step));
    }
    for (const Examples& each : all) {
      const size_t floats = each.images.size() / share.ranks;
      const size_t labels = each.labels.size() / share.ranks;
      batches.push_back({{each.images.data() + share.rank * floats, floats},
                         {each.labels.data() + share.rank * labels, labels}});
    }
    train(replica, strategy, batches);
    return values_of(replica);
  }

  // Every rank starts from other values; only rank 0's count.
  std::vector<Values> train_ranks(const Setting& setting) const {
    auto communicators = make_local(setting.ranks);
    std::vector<Values> results(setting.ranks);
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < setting.ranks; ++rank) {
      threads.emplace_back([&, rank] {
        const Share share = {rank, setting.ranks, network_.batch * setting.ranks};
        results[rank] = train_one(share, 1 + rank, *communicators[rank], setting);
      });
    }
    threads.clear();
    return results;
  }

  Values train_alone(const Setting& setting) const {
    auto communicators = make_local(1);
    return train_one({.total_batch = network_.batch * setting.ranks}, 1, *communicators[0],
                     setting);
  }
};

TEST_F(AllReduceTraining, RanksTogetherDoWhatOneDoesOnTheJoinedBatch) {
  for (const std::string optimizer : {"sgd", "momentum", "rmsprop", "adam"}) {
    const Setting setting = {.ranks = 3, .options = {.bucket_bytes = 256}, .optimizer = optimizer};
    const Values expected = train_alone(setting), actual = train_ranks(setting)[0];
    for (size_t id = 0; id < expected.size(); ++id) {
      EXPECT_LE(distance(actual[id], expected[id]), 1e-4 * norm(expected[id]) + 1e-6)
          << optimizer << ", parameter " << id;
    }
  }
}

TEST_F(AllReduceTraining, TheSumIsTheMeanWithALargerRate) {
  const Setting mean = {.ranks = 2, .options = {}, .optimizer = "sgd"};
  const Setting sum = {.ranks = 2, .options = {.mean = false}, .optimizer = "sgd"};
  EXPECT_NE(train_ranks(mean), train_ranks(sum));
}

TEST_F(AllReduceTraining, EveryRankEndsWithTheSameBits) {
  for (const int64_t bucket_bytes : {1, 4096, 64 << 20}) {
    const auto results = train_ranks({.ranks = 3, .options = {.bucket_bytes = bucket_bytes}});
    EXPECT_EQ(results[1], results[0]);
    EXPECT_EQ(results[2], results[0]);
  }
}

TEST_F(AllReduceTraining, OverlapChangesNothingButTime) {
  EXPECT_EQ(train_ranks({.ranks = 2, .options = {.bucket_bytes = 1, .overlap = true}}),
            train_ranks({.ranks = 2, .options = {.bucket_bytes = 1, .overlap = false}}));
}

TEST_F(AllReduceTraining, ARunRepeatsBitForBit) {
  EXPECT_EQ(train_ranks({.ranks = 3, .options = {}}), train_ranks({.ranks = 3, .options = {}}));
}

TEST(Buckets, HoldEveryParameterOnceInOrderAndAreContiguous) {
  const int64_t floats[] = {100, 3, 5000, 17, 1};
  const ParameterId order[] = {4, 2, 0, 3, 1};
  const ParameterArena arena(floats, order);
  std::vector<ParameterId> seen;
  int64_t end = 0;
  for (const Bucket& bucket : make_buckets(arena, 1024)) {
    EXPECT_GE(bucket.first_float, end);
    EXPECT_EQ(bucket.first_float, arena.offset(bucket.parameters.front()));
    seen.insert(seen.end(), bucket.parameters.begin(), bucket.parameters.end());
    end = bucket.first_float + bucket.floats;
  }
  EXPECT_EQ(seen, std::vector<ParameterId>(std::begin(order), std::end(order)));
}

TEST(Buckets, CloseOnceTheyHoldTheTarget) {
  const int64_t floats[] = {256, 256, 256, 256};
  const ParameterId order[] = {0, 1, 2, 3};
  const ParameterArena arena(floats, order);
  EXPECT_EQ(make_buckets(arena, 2048).size(), 2u);
  EXPECT_EQ(make_buckets(arena, 1).size(), 4u);
  EXPECT_EQ(make_buckets(arena, 1 << 20).size(), 1u);
}

}  // namespace
}  // namespace lockstep
