// Which signals are one request, and which mean "at once". No signal is sent, and no time passes.
#include "base/interrupt_rule.h"

#include <gtest/gtest.h>

#include <csignal>
#include <vector>

namespace lockstep {
namespace {

using Meaning = InterruptRule::Meaning;

TimePoint at(double seconds) {
  return TimePoint(std::chrono::duration_cast<Clock::duration>(Seconds(100 + seconds)));
}
SignalArrival killed(int number, double seconds) { return {.number = number, .time = at(seconds)}; }
SignalArrival ctrl_c(double seconds) {
  return {.number = SIGINT, .time = at(seconds), .from_terminal = true};
}

std::vector<Meaning> judged(const std::vector<SignalArrival>& signals) {
  InterruptRule rule;
  std::vector<Meaning> meanings;
  for (const SignalArrival& signal : signals) meanings.push_back(rule.judge(signal));
  return meanings;
}

TEST(InterruptRule, TheFirstSignalIsARequest) {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    EXPECT_EQ(judged({killed(signal, 0)}), std::vector{Meaning::Request});
  }
}

TEST(InterruptRule, ASecondSignalWithinTwoSecondsIsTheSameRequest) {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    EXPECT_EQ(judged({killed(signal, 0), killed(signal, 0), killed(signal, 1.999)}),
              (std::vector{Meaning::Request, Meaning::Repeat, Meaning::Repeat}));
  }
  EXPECT_EQ(judged({killed(SIGTERM, 0), killed(SIGINT, 1)}),
            (std::vector{Meaning::Request, Meaning::Repeat}));
}

TEST(InterruptRule, ASignalTwoSecondsAfterTheFirstMeansAtOnce) {
  for (const int first : {SIGINT, SIGTERM, SIGUSR1}) {
    for (const int second : {SIGINT, SIGTERM}) {
      EXPECT_EQ(judged({killed(first, 0), killed(second, 2)}),
                (std::vector{Meaning::Request, Meaning::AtOnce}));
    }
  }
}

TEST(InterruptRule, TheTwoSecondsBeginWithTheFirstSignal) {
  EXPECT_EQ(judged({killed(SIGTERM, 0), killed(SIGTERM, 1.5), killed(SIGTERM, 3)}),
            (std::vector{Meaning::Request, Meaning::Repeat, Meaning::AtOnce}));
}

TEST(InterruptRule, ASecondCtrlCMeansAtOnce) {
  EXPECT_EQ(judged({ctrl_c(0), ctrl_c(0.1)}), (std::vector{Meaning::Request, Meaning::AtOnce}));
}

TEST(InterruptRule, ACtrlCThatIsAlsoPassedOnIsOneRequest) {
  EXPECT_EQ(judged({ctrl_c(0), killed(SIGINT, 0.1), killed(SIGTERM, 0.1)}),
            (std::vector{Meaning::Request, Meaning::Repeat, Meaning::Repeat}));
  EXPECT_EQ(judged({killed(SIGTERM, 0), ctrl_c(0.1), ctrl_c(0.2)}),
            (std::vector{Meaning::Request, Meaning::Repeat, Meaning::AtOnce}));
}

TEST(InterruptRule, ASignalThatIsOnlyPassedOnNeverMeansAtOnce) {
  EXPECT_EQ(judged({killed(SIGTERM, 0), killed(SIGUSR1, 100)}),
            (std::vector{Meaning::Request, Meaning::Repeat}));
}

TEST(InterruptRule, TheDeathOfTheLauncherMakesARequestUrgent) {
  SignalArrival signal = killed(SIGTERM, 0.1);
  signal.launcher_died = true;
  EXPECT_EQ(judged({signal}), std::vector{Meaning::Request});
  EXPECT_EQ(judged({killed(SIGTERM, 0), signal}), (std::vector{Meaning::Request, Meaning::AtOnce}));
}

TEST(InterruptRule, ALateSignalOfAFinishedRequestIsNotANewOne) {
  InterruptRule rule;
  rule.judge(killed(SIGTERM, 0));
  rule.start_over();
  EXPECT_EQ(rule.judge(killed(SIGTERM, 1)), Meaning::Repeat);
  EXPECT_EQ(rule.judge(killed(SIGTERM, 2)), Meaning::Request);
  EXPECT_EQ(rule.judge(killed(SIGTERM, 3)), Meaning::Repeat);
}

TEST(InterruptRule, ACtrlCAfterAFinishedRequestIsANewOne) {
  InterruptRule rule;
  rule.judge(ctrl_c(0));
  rule.start_over();
  EXPECT_EQ(rule.judge(ctrl_c(1)), Meaning::Request);
}

}  // namespace
}  // namespace lockstep
