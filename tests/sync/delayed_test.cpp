// What is one step old is exactly one step old: relaxed and staged runs beside the same by hand.
#include <gtest/gtest.h>

#include "product_network.h"

namespace lockstep {
namespace {

constexpr int kSteps = 6;
double input(int worker, int step) { return 0.25 * worker - 0.5 * step + 1; }

struct Point {
  double a = 1, b = 2;
};
Point gradient(const Point& at, double x) { return {x * at.b, x * at.a}; }
Point descended(const Point& from, const Point& gradient) {
  return {from.a - kSixteenth * gradient.a, from.b - kSixteenth * gradient.b};
}

void expect_near(const ProductOutcome& actual, const Point& expected) {
  EXPECT_NEAR(actual.a, expected.a, 1e-5);
  EXPECT_NEAR(actual.b, expected.b, 1e-5);
}

ProductRun two_workers(const std::string& strategy, const SyncOptions& options, int servers) {
  return {.strategy = strategy,
          .options = options,
          .workers = 2,
          .servers = servers,
          .optimizer = {.name = "sgd", .weight_decay = 0},
          .steps = kSteps,
          .mean_x = input};
}
double mean_input(int step) { return (input(0, step) + input(1, step)) / 2; }

TEST(Relaxed, AppliesTheGradientsOfTheStepBeforeAndZerosFirst) {
  Point values, before = {0, 0};
  std::vector<double> losses;
  for (int step = 0; step < kSteps; ++step) {
    losses.push_back(mean_input(step) * values.a * values.b);
    const Point now = gradient(values, mean_input(step));
    values = descended(values, before);
    before = now;
  }
  for (const SyncOptions& options :
       {SyncOptions{.relaxed = true}, SyncOptions{.bucket_bytes = 1, .relaxed = true},
        SyncOptions{.overlap = false, .relaxed = true},
        SyncOptions{.repacking = 3, .relaxed = true}}) {
    const auto workers = train_product(two_workers("replicated", options, 0));
    for (const ProductOutcome& worker : workers) expect_near(worker, values);
    for (int step = 0; step < kSteps; ++step) {
      EXPECT_NEAR((workers[0].losses[step] + workers[1].losses[step]) / 2, losses[step], 1e-5);
    }
  }
}

TEST(Staged, ReadsTheValuesBeforeTheLastUpdate) {
  Point values, read;
  for (int step = 0; step < kSteps; ++step) {
    const Point now = gradient(read, mean_input(step));
    read = values;
    values = descended(values, now);
  }
  for (const int servers : {1, 2}) {
    for (const ProductOutcome& worker :
         train_product(two_workers("parameter_server", {.staged = true}, servers))) {
      expect_near(worker, values);
    }
  }
}

}  // namespace
}  // namespace lockstep
