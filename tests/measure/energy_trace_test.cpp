#include "measure/energy_trace.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

TimePoint at(double seconds) {
  return TimePoint(std::chrono::duration_cast<Clock::duration>(Seconds(seconds)));
}

// Steps of one second: forward takes 0.4, backward 0.5, update 0.1.
std::vector<StepRecord> seconds_of_steps(int count) {
  std::vector<StepRecord> steps(static_cast<size_t>(count));
  for (size_t i = 0; i < steps.size(); ++i) {
    steps[i].begin = Seconds(static_cast<double>(i));
    steps[i].duration = Seconds(1);
    steps[i].phase(Phase::Forward) = Seconds(0.4);
    steps[i].phase(Phase::Backward) = Seconds(0.5);
    steps[i].phase(Phase::Update) = Seconds(0.1);
  }
  return steps;
}

std::optional<double> of(const PhaseJoules& joules, Phase phase) {
  return joules[static_cast<size_t>(phase)];
}

TEST(EnergyByPhase, EveryPhaseHasTheEnergyOfItsTime) {
  std::vector<EnergySample> samples;
  double joules = 0;
  for (int i = 0; i <= 40; ++i) {  // 10 W in forward, 30 W in the rest, twenty samples a second
    samples.push_back({at(5 + 0.05 * i), joules});
    joules += 0.05 * (i % 20 < 8 ? 10 : 30);
  }
  const PhaseJoules found = joules_by_phase(samples, seconds_of_steps(2), at(5));
  EXPECT_NEAR(of(found, Phase::Forward).value_or(0), 2 * 4, 1e-6);
  EXPECT_NEAR(of(found, Phase::Backward).value_or(0), 2 * 15, 1e-6);
  EXPECT_NEAR(of(found, Phase::Update).value_or(0), 2 * 3, 1e-6);
  EXPECT_FALSE(of(found, Phase::Input)) << "no time was spent in it";
}

TEST(EnergyByPhase, OfAPhaseShorterThanTheSamplesAreApartNothingIsKnown) {
  const std::vector<EnergySample> samples = {
      {at(0), 0}, {at(0.25), 5}, {at(0.5), 10}, {at(0.75), 15}, {at(1), 20}};
  const PhaseJoules found = joules_by_phase(samples, seconds_of_steps(1), at(0));
  EXPECT_NEAR(of(found, Phase::Backward).value_or(0), 10, 1e-6);
  EXPECT_FALSE(of(found, Phase::Update));
}

TEST(EnergyOfSteps, IsThatBetweenTheFirstBeginAndTheLastEnd) {
  std::vector<EnergySample> samples;
  for (int i = 0; i <= 8; ++i) samples.push_back({at(4 + 0.75 * i), 15.0 * i});  // 20 W for 6 s
  EXPECT_NEAR(joules_of_steps(samples, seconds_of_steps(2), at(5)).value_or(0), 40, 1e-6);
  EXPECT_FALSE(joules_of_steps(std::span(samples).first(1), seconds_of_steps(2), at(5)));
  EXPECT_FALSE(joules_of_steps(samples, {}, at(5)));
}

TEST(EnergyByPhase, WithoutSamplesNothingIsKnown) {
  const PhaseJoules found = joules_by_phase({}, seconds_of_steps(1), at(0));
  for (const auto& phase : found) EXPECT_FALSE(phase);
}

TEST(EnergyTrace, CountsFromStartToStop) {
  const TemporaryDirectory temporary;
  const fs::path zone = temporary.path() / "sys/class/powercap/intel-rapl:0";
  fs::create_directories(zone);
  std::ofstream(zone / "name") << "package-0\n";
  std::ofstream(zone / "max_energy_range_uj") << 1'000'000'000 << "\n";
  std::ofstream(zone / "energy_uj") << 5'000'000 << "\n";
  EnergyTrace trace(temporary.path());
  trace.start();
  std::ofstream(zone / "next") << 7'500'000 << "\n";
  fs::rename(zone / "next", zone / "energy_uj");  // at once: a thread is reading
  trace.stop();
  EXPECT_DOUBLE_EQ(trace.joules().value_or(0), 2.5);
  ASSERT_GE(trace.samples().size(), 2u);
  EXPECT_EQ(trace.samples().front().joules, 0);
  EXPECT_DOUBLE_EQ(trace.samples().back().joules, 2.5);
}

TEST(EnergyTrace, WithoutCountersEnergyIsUnavailable) {
  const TemporaryDirectory temporary;
  EnergyTrace trace(temporary.path());
  trace.start();
  trace.stop();
  EXPECT_FALSE(trace.joules());
}

}  // namespace
}  // namespace lockstep
