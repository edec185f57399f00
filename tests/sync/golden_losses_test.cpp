// The losses of loss = mean(x) A B that tf_cnn_benchmarks' own tests expect of its modes, worked
// out from their definition: inputs -1 to 14, four per step, rate and weight decay 1/16. Where that
// program sums over replicas, so does the test. A tower there is a worker here.
#include <gtest/gtest.h>

#include "product_network.h"

namespace lockstep {
namespace {

constexpr int kBatches = 4;  // of four inputs each

// Mean of `count` inputs of a batch, from the given one on.
double mean_input(int batch, int first, int count) {
  const int begin = batch % kBatches * 4 + first;
  return begin - 1 + (count - 1) / 2.0;
}

OptimizerSettings optimizer(const std::string& name) {
  return {.name = name, .weight_decay = kSixteenth};
}

void expect_losses(const std::vector<double>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-5 * std::abs(expected[i])) << "step " << i + 1;
  }
}

std::vector<double> mean_over_workers(const std::vector<ProductOutcome>& workers,
                                      std::vector<double> ProductOutcome::*losses) {
  std::vector<double> mean(kBatches);
  for (const ProductOutcome& worker : workers) {
    for (int step = 0; step < kBatches; ++step) {
      mean[step] += (worker.*losses)[step] / static_cast<double>(workers.size());
    }
  }
  return mean;
}

struct Golden {
  std::string optimizer;
  std::vector<double> mean, sum;  // over two replicas
};
const Golden kGolden[] = {
    {"sgd",
     {1.15625, 8.38563776, 5.532261873, -9.585483515},
     {1.15625, 7.638742447, -2.596949841, -35.271504235}},
    {"momentum",
     {1.15625, 7.712364717, -2.524665762, -36.708600641},
     {1.15625, 6.354097538, -10.949110658, -171.103948007}},
    {"rmsprop",
     {1.15625, 8.608334163, 11.373597121, 7.016567663},
     {1.15625, 8.140942317, 9.535035869, 4.027798848}},
};

// Every strategy that is synchronous does both, whichever of them its name meant there.
TEST(GoldenLosses, OfTwoReplicas) {
  for (const StrategyKind& kind : strategies()) {
    if (!kind.communicates) continue;
    for (const Golden& golden : kGolden) {
      for (const bool mean : {true, false}) {
        SCOPED_TRACE(std::string(kind.name) + ", " + golden.optimizer +
                     (mean ? ", mean" : ", sum"));
        const auto workers = train_product(
            {.strategy = std::string(kind.name),
             .options = {.mean = mean},
             .workers = 2,
             .servers = kind.needs_servers ? 2 : 0,
             .optimizer = optimizer(golden.optimizer),
             .mean_x = [](int worker, int step) { return mean_input(step, 2 * worker, 2); }});
        expect_losses(mean_over_workers(workers, &ProductOutcome::losses),
                      mean ? golden.mean : golden.sum);
      }
    }
  }
}

TEST(GoldenLosses, WithoutTheL2LossTrainingIsTheSame) {
  const auto base_losses = [](const std::string& strategy, bool mean) {
    return mean_over_workers(
        train_product({.strategy = strategy,
                       .options = {.mean = mean},
                       .workers = 2,
                       .servers = find_strategy(strategy).needs_servers ? 1 : 0,
                       .mean_x = [](int w, int step) { return mean_input(step, 2 * w, 2); }}),
        &ProductOutcome::base_losses);
  };
  expect_losses(base_losses("parameter_server", true),
                {1.0, 8.238235474, 5.438458970, -9.662706693});
  expect_losses(base_losses("replicated", false), {1.0, 7.499816895, -2.661400940, -35.448970979});
}

TEST(GoldenLosses, OfOneWorkerAndTwoServers) {
  const auto worker = train_product(
      {.strategy = "parameter_server", .workers = 1, .servers = 2, .mean_x = [](int, int step) {
         return mean_input(step, 0, 4);
       }});
  expect_losses(worker[0].losses, kGolden[0].mean);
}

// The second worker begins half way through the inputs.
TEST(GoldenLosses, OfTwoWorkersWithCopiesThatAreAddedUp) {
  const auto workers =
      train_product({.strategy = "distributed_replicated",
                     .options = {.mean = false},
                     .workers = 2,
                     .servers = 1,
                     .mean_x = [](int w, int step) { return mean_input(step + 2 * w, 0, 4); }});
  expect_losses(workers[0].losses, {1.15625, -0.786062241, -21.506839897, -76.684944935});
  expect_losses(workers[1].losses, {17.15625, -2.296804428, -1.114926066, -27.35992474});
}

TEST(GoldenLosses, OfTwoTimesTwoReplicasThatAreAddedUp) {
  const auto workers = train_product(
      {.strategy = "distributed_all_reduce",
       .options = {.mean = false},
       .workers = 4,
       .mean_x = [](int w, int step) { return mean_input(step + w / 2 * 2, w % 2 * 2, 2); }});
  expect_losses(mean_over_workers(workers, &ProductOutcome::losses),
                {9.15625, -9.004600525, -47.459370067, -403.742654158});
}

}  // namespace
}  // namespace lockstep
