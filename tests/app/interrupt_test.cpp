// What signals do to a process while it watches for them, and afterwards.
#include "app/interrupt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace lockstep {
namespace {

using ::testing::ExitedWithCode;
using ::testing::KilledBySignal;

// Nothing but what is done to it ends such a process.
template <typename Action>
[[noreturn]] void live_through(const Action& action) {
  action();
  _exit(0);
}

TEST(InterruptWatch, RemembersTheFirstSignalAndTheSecondKills) {
  EXPECT_EXIT(live_through([] {
                const InterruptWatch watch;
                if (watch.interrupted()) _exit(1);
                raise(SIGINT);
                if (!watch.interrupted()) _exit(2);
                raise(SIGINT);
              }),
              KilledBySignal(SIGINT), "");
}

TEST(InterruptWatch, AWishMayComeByTwoWays) {
  EXPECT_EXIT(live_through([] {
                const InterruptWatch watch;
                for (const int signal : {SIGUSR1, SIGTERM, SIGUSR1}) raise(signal);
              }),
              ExitedWithCode(0), "");
}

TEST(InterruptWatch, AfterwardsASignalEndsTheProgram) {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    EXPECT_EXIT(live_through([&] {
                  { const InterruptWatch watch; }
                  raise(signal);
                }),
                KilledBySignal(signal), "");
  }
}

TEST(InterruptWatch, AWorkerThatHasStoppedWithTheOthersSurvivesItsOwnSignal) {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    EXPECT_EXIT(live_through([&] {
                  { const InterruptWatch watch("", InterruptWatch::Afterwards::Nothing); }
                  raise(signal);
                }),
                ExitedWithCode(0), "");
  }
}

TEST(InterruptWatch, ItsAnswerIsSaid) {
  EXPECT_EXIT(live_through([] {
                const InterruptWatch watch("soon\n");
                raise(SIGTERM);
              }),
              ExitedWithCode(0), "soon");
}

}  // namespace
}  // namespace lockstep
