#include "nn/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/random.h"
#include "nn/l2.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int kSteps = 6;
double rate_of(int step) { return 0.1 / (1 + step); }

std::vector<float> numbers(int64_t count, uint64_t stream) {
  std::vector<float> row(count);
  fill_truncated_normal(row, RandomStream(3, stream), 0, 1);
  return row;
}

// One value by the published formulas, in double. `a` and `b` are the rule's memory.
struct Scalar {
  double w, a = 0, b = 0;

  void step(const OptimizerSettings& s, double rate, double g, int t) {
    if (s.name == "sgd") {
      w -= rate * g;
    } else if (s.name == "momentum") {
      a = s.momentum * a + g;
      w -= rate * (g + s.momentum * a);
    } else if (s.name == "rmsprop") {
      if (t == 1) a = 1;
      a = s.rmsprop_decay * a + (1 - s.rmsprop_decay) * g * g;
      b = s.rmsprop_momentum * b + rate * g / std::sqrt(a + s.rmsprop_epsilon);
      w -= b;
    } else {
      a = s.adam_beta1 * a + (1 - s.adam_beta1) * g;
      b = s.adam_beta2 * b + (1 - s.adam_beta2) * g * g;
      const double corrected =
          rate * std::sqrt(1 - std::pow(s.adam_beta2, t)) / (1 - std::pow(s.adam_beta1, t));
      w -= corrected * a / (std::sqrt(b) + s.adam_epsilon);
    }
  }
};

double seen(const OptimizerSettings& s, double scale, double g, double w) {
  const double whole = scale * g + s.weight_decay * w;
  return s.gradient_clip ? std::clamp(whole, -*s.gradient_clip, *s.gradient_clip) : whole;
}

class EveryOptimizer : public ::testing::TestWithParam<std::string> {
 protected:
  OptimizerSettings settings() const {
    OptimizerSettings settings;
    settings.name = GetParam();
    return settings;
  }
  static void expect_formula(const OptimizerSettings& settings, double scale);
};

// Odd length, several chunks, so that the ends of the vector loops are in it.
void EveryOptimizer::expect_formula(const OptimizerSettings& settings, double scale) {
  constexpr int64_t kCount = 8192 * 2 + 13;
  const OptimizedParameter parameter = {kCount, true};
  const auto optimizer = make_optimizer(settings, {&parameter, 1});
  std::vector<float> values = numbers(kCount, 0);
  std::vector<Scalar> expected;
  for (const float w : values) expected.push_back({.w = w});
  for (int t = 1; t <= kSteps; ++t) {
    const std::vector<float> gradient = numbers(kCount, t);
    optimizer->begin_step(rate_of(t), scale);
    optimizer->apply(0, values, gradient);
    for (int64_t i = 0; i < kCount; ++i) {
      const double g = seen(settings, scale, gradient[i], expected[i].w);
      expected[i].step(settings, rate_of(t), g, t);
      ASSERT_NEAR(values[i], expected[i].w, 2e-5) << "step " << t << ", value " << i;
    }
  }
}

TEST_P(EveryOptimizer, FollowsItsFormula) {
  OptimizerSettings plain = settings();
  plain.weight_decay = 0;
  expect_formula(plain, 1);
}

TEST_P(EveryOptimizer, SeesScaledDecayedAndThenClippedGradients) {
  OptimizerSettings all = settings();
  all.weight_decay = 0.3;
  all.gradient_clip = 0.2;
  expect_formula(all, 0.25);
}

TEST_P(EveryOptimizer, LeavesParametersThatDoNotDecayAlone) {
  OptimizerSettings decaying = settings();
  decaying.weight_decay = 0.5;
  const OptimizedParameter parameter = {3, false};
  const auto optimizer = make_optimizer(decaying, {&parameter, 1});
  std::vector<float> values = {1, -2, 3};
  optimizer->begin_step(0.1);
  EXPECT_EQ(optimizer->apply(0, values, std::vector<float>(3)), 0);
  EXPECT_THAT(values, ElementsAre(1, -2, 3));
}

TEST_P(EveryOptimizer, ReturnsTheSumOfSquaresOfTheNewValues) {
  const OptimizedParameter parameter = {100003, true};
  const auto optimizer = make_optimizer(settings(), {&parameter, 1});
  std::vector<float> values = numbers(100003, 0);
  optimizer->begin_step(0.1);
  const double returned = optimizer->apply(0, values, numbers(100003, 1));
  EXPECT_NEAR(returned, sum_of_squares(values), 1e-5 * returned);
}

TEST_P(EveryOptimizer, KeepsPaddingZero) {
  const OptimizedParameter parameter = {64, true};
  const auto optimizer = make_optimizer(settings(), {&parameter, 1});
  std::vector<float> values(64), gradient(64);
  for (int step = 0; step < 2000; ++step) {
    optimizer->begin_step(0.1, 0.5);
    optimizer->apply(0, values, gradient);
  }
  EXPECT_EQ(values, std::vector<float>(64, 0.0f));
}

TEST_P(EveryOptimizer, LeavesAParametersPaddingZeroBesideValuesThatMove) {
  const OptimizedParameter parameter = {64, true};
  const auto optimizer = make_optimizer(settings(), {&parameter, 1});
  std::vector<float> values = numbers(64, 0), gradient = numbers(64, 1);
  std::fill(values.begin() + 50, values.end(), 0.0f);
  std::fill(gradient.begin() + 50, gradient.end(), 0.0f);
  for (int step = 0; step < 20; ++step) {
    optimizer->begin_step(0.1);
    optimizer->apply(0, values, gradient);
  }
  EXPECT_TRUE(std::all_of(values.begin() + 50, values.end(), [](float x) { return x == 0; }));
}

TEST_P(EveryOptimizer, DoesNotDependOnTheNumberOfThreads) {
  const OptimizedParameter parameter = {200001, true};
  std::vector<std::vector<float>> results;
  std::vector<double> sums;
  const int before = omp_get_max_threads();
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    const auto optimizer = make_optimizer(settings(), {&parameter, 1});
    std::vector<float> values = numbers(200001, 0);
    for (int step = 1; step <= 3; ++step) {
      optimizer->begin_step(0.1);
      sums.push_back(optimizer->apply(0, values, numbers(200001, step)));
    }
    results.push_back(values);
  }
  omp_set_num_threads(before);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
  for (int step = 0; step < 3; ++step) {
    EXPECT_EQ(sums[step], sums[3 + step]);
    EXPECT_EQ(sums[step], sums[6 + step]);
  }
}

TEST_P(EveryOptimizer, UpdatesParametersInAnyOrder) {
  const OptimizedParameter parameters[] = {{5, true}, {40, false}};
  const auto forward = make_optimizer(settings(), parameters);
  const auto backward = make_optimizer(settings(), parameters);
  std::vector<float> a0 = numbers(5, 0), a1 = numbers(40, 1), b0 = a0, b1 = a1;
  for (int step = 2; step < 5; ++step) {
    const std::vector<float> g0 = numbers(5, step), g1 = numbers(40, step + 10);
    forward->begin_step(0.1);
    forward->apply(0, a0, g0);
    forward->apply(1, a1, g1);
    backward->begin_step(0.1);
    backward->apply(1, b1, g1);
    backward->apply(0, b0, g0);
  }
  EXPECT_EQ(a0, b0);
  EXPECT_EQ(a1, b1);
}

TEST_P(EveryOptimizer, ResumesFromACopyOfItsState) {
  const OptimizedParameter parameter = {10, true};
  const auto first = make_optimizer(settings(), {&parameter, 1});
  std::vector<float> values = numbers(10, 0);
  first->begin_step(0.1);
  first->apply(0, values, numbers(10, 1));

  const auto second = make_optimizer(settings(), {&parameter, 1});
  second->set_steps(first->steps());
  const std::vector<NamedState> from = first->state(0), to = second->state(0);
  for (size_t i = 0; i < from.size(); ++i) {
    EXPECT_EQ(from[i].name, to[i].name);
    std::ranges::copy(from[i].values, to[i].values.begin());
  }

  std::vector<float> resumed = values;
  for (const auto& [optimizer, row] : {std::pair{first.get(), &values}, {second.get(), &resumed}}) {
    optimizer->begin_step(0.1);
    optimizer->apply(0, *row, numbers(10, 2));
  }
  EXPECT_EQ(values, resumed);
}

INSTANTIATE_TEST_SUITE_P(Names, EveryOptimizer,
                         ::testing::Values("sgd", "momentum", "rmsprop", "adam"),
                         [](const auto& instance) { return instance.param; });

TEST(Optimizers, AreAllTested) {
  EXPECT_THAT(optimizer_names(), ElementsAre("sgd", "momentum", "rmsprop", "adam"));
}

TEST(Optimizers, NameTheirState) {
  const OptimizedParameter parameter = {10, true};
  OptimizerSettings settings = {.name = "rmsprop"};
  const std::vector<NamedState> state = make_optimizer(settings, {&parameter, 1})->state(0);
  ASSERT_THAT(state, SizeIs(2));
  EXPECT_EQ(state[0].name, "mean_square");
  EXPECT_EQ(state[1].name, "momentum");
}

TEST(OptimizerSettings, DefaultsAreFine) {
  EXPECT_THAT(problems_in(OptimizerSettings{}), IsEmpty());
}

TEST(OptimizerSettings, ProblemsAreReportedAllAtOnce) {
  const OptimizerSettings wrong = {.name = "lars",
                                   .momentum = 1,
                                   .rmsprop_epsilon = 0,
                                   .adam_epsilon = 1e-60,
                                   .weight_decay = -1,
                                   .gradient_clip = 0};
  EXPECT_THAT(problems_in(wrong), SizeIs(6));
  EXPECT_THAT(problems_in(wrong)[0], HasSubstr("sgd, momentum, rmsprop, adam"));
  EXPECT_THROW(make_optimizer(wrong, {}), UsageError);
}

}  // namespace
}  // namespace lockstep
