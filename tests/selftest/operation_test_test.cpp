// A core that computes wrongly is played by an engine that does so on that core.
#include "selftest/operation_test.h"

#include <gmock/gmock.h>
#include <sched.h>

#include <atomic>

#include "engine/native/native_engine.h"
#include "engine/reference/reference_engine.h"
#include "selftest/expected_step.h"

namespace lockstep {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Which operations it spoils: the gradients of all networks whose image is this wide.
constexpr int64_t kSpoiltWidth = 23;

std::atomic<int> bad_core = -1;  // -1: none
std::atomic<double> error = 0;   // relative
std::atomic<int> spoils_every = 1;
std::atomic<int> steps = 0;

// The reference, but for one core.
class BadCore final : public HostEngine {
 public:
  BadCore(const Graph& graph, const EngineOptions& options)
      : sound_(graph, options), width_(graph.shape(graph.image()).width()) {}

  std::span<const ParameterInfo> parameters() const override { return sound_.parameters(); }
  std::span<const ParameterId> backward_order() const override { return sound_.backward_order(); }
  uint64_t layout_fingerprint() const override { return sound_.layout_fingerprint(); }
  void bind(ParameterArena& arena) override {
    arena_ = &arena;
    sound_.bind(arena);
  }
  StepOutcome run_forward(const Batch& batch) override { return sound_.forward(batch); }
  void backward(const GradientReady& ready) override {
    sound_.backward(ready);
    if (sched_getcpu() != bad_core || width_ != kSpoiltWidth) return;
    if (steps++ % spoils_every != spoils_every - 1) return;
    for (float& value : arena_->gradient(0)) value *= static_cast<float>(1 + error);
  }
  void values_changed(ParameterId id) override { sound_.values_changed(id); }
  void read_plain(ParameterId id, std::span<const float> stored,
                  std::span<float> plain) const override {
    sound_.read_plain(id, stored, plain);
  }
  void write_plain(ParameterId id, std::span<const float> plain,
                   std::span<float> stored) const override {
    sound_.write_plain(id, plain, stored);
  }
  void count_from(int64_t step) override { sound_.count_from(step); }
  std::span<const StateInfo> state() override { return sound_.state(); }
  void state_changed() override { sound_.state_changed(); }
  std::span<const OpInfo> ops() const override { return sound_.ops(); }
  void observe(OpObserver* observer) override { sound_.observe(observer); }
  int64_t memory_bytes() const override { return sound_.memory_bytes(); }

 private:
  ReferenceEngine sound_;
  int64_t width_;
  ParameterArena* arena_ = nullptr;
};

std::unique_ptr<Engine> make_bad(const Graph& graph, const EngineOptions& options) {
  return std::make_unique<BadCore>(graph, options);
}

class BadCores : public ::testing::Test {
 protected:
  void SetUp() override {
    steps = 0;
    spoils_every = 1;
    cores_ = allowed_cores();
  }
  TestRow tested(MakeEngine make, int passes = 2) const {
    return test_operations({.make = make, .cores = cores_, .passes = passes, .host = "node1"},
                           "operations");
  }
  std::string bad_core_text() const { return "core " + std::to_string(bad_core); }

  CoreSet cores_;
};

TEST_F(BadCores, SoundOnesPass) {
  bad_core = -1;
  const TestRow row = tested(make_native_engine);
  EXPECT_EQ(row.result, TestResult::Pass) << rows_text(std::vector{row});
  EXPECT_THAT(row.what, HasSubstr("match the reference"));
}

TEST_F(BadCores, ALargeErrorIsFoundByTheReference) {
  bad_core = cores_.back();
  error = 0.01;
  const TestRow row = tested(make_bad, 1);
  ASSERT_EQ(row.result, TestResult::Fail);
  ASSERT_THAT(row.mismatches, SizeIs(1));
  EXPECT_EQ(row.mismatches[0].host, "node1");
  EXPECT_EQ(row.mismatches[0].where, bad_core_text());
  EXPECT_THAT(row.mismatches[0].operation, HasSubstr("Conv11x11"));
  EXPECT_THAT(row.mismatches[0].what, HasSubstr("is off by 0.01 of its size"));
}

TEST_F(BadCores, AnErrorBelowToleranceIsFoundByTheOtherPass) {
  bad_core = cores_.back();
  error = 1e-6;
  spoils_every = 2;  // in the second pass
  const TestRow row = tested(make_bad);
  ASSERT_THAT(row.mismatches, SizeIs(1));
  EXPECT_EQ(row.mismatches[0].where, bad_core_text());
  EXPECT_EQ(row.mismatches[0].what, "other bits in pass 2 than in pass 1");
}

TEST_F(BadCores, ASteadyErrorBelowToleranceIsFoundByTheOtherCores) {
  if (cores_.size() < 2) GTEST_SKIP() << "one core has no other to compare with";
  bad_core = cores_.back();
  error = 1e-6;
  const TestRow row = tested(make_bad);
  EXPECT_EQ(row.result, TestResult::Fail);
  EXPECT_THAT(row.mismatches, Each(Field(&Mismatch::operation, HasSubstr("Conv11x11"))));
  const bool majority = cores_.size() > 2;  // else both are named
  EXPECT_THAT(row.mismatches, SizeIs(majority ? 1 : 2));
}

TEST_F(BadCores, AnInjectedFaultIsFoundAndNamed) {
  bad_core = -1;
  const std::string core = std::to_string(cores_.front());
  const TestRow row = test_operations({.make = make_native_engine,
                                       .cores = cores_,
                                       .host = "node1",
                                       .fault = parse_fault("node1:" + core + ":ReluOf17")},
                                      "operations");
  ASSERT_THAT(row.mismatches, SizeIs(1));
  EXPECT_EQ(row.mismatches[0].where, "core " + core);
  EXPECT_EQ(row.mismatches[0].operation, "ReluOf17");
}

TEST_F(BadCores, NetworksMatchTheReferenceOnAllCores) {
  const TestRow row =
      test_networks({.make = make_native_engine, .cores = cores_, .host = "node1"}, "networks");
  EXPECT_EQ(row.result, TestResult::Pass) << rows_text(std::vector{row});
}

TEST(ExpectedSteps, OfANumberThatIsNoneDiffer) {
  const ExpectedStep expected = expected_steps().front();
  ActualStep actual = take_step(expected, {.make = make_reference_engine});
  EXPECT_EQ(difference(expected, actual), std::nullopt);
  actual.gradients[0][0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(difference(expected, actual), std::nullopt);
}

}  // namespace
}  // namespace lockstep
