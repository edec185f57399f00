// What signals do to a process while it watches for them, and afterwards.
#include "base/interrupt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "support/wait_until.h"

namespace lockstep {
namespace {

using ::testing::ExitedWithCode;
using ::testing::KilledBySignal;

// Nothing but a signal ends such a process.
template <typename Action>
[[noreturn]] void live_through(const Action& action) {
  const SignalThread signals;
  action();
  _exit(0);
}

// Returns when the thread that waits for signals has taken it, and done what the ones before
// wanted.
void send(int signal) {
  kill(getpid(), signal);
  const bool taken = wait_until([&] {
    sigset_t waiting;
    sigpending(&waiting);
    return sigismember(&waiting, signal) == 0;
  });
  if (!taken) _exit(2);
}

[[noreturn]] void send_last(int signal) {
  send(signal);
  for (;;) pause();
}

TEST(InterruptWatch, RemembersTheFirstSignalAndTheSecondKills) {
  EXPECT_EXIT(live_through([] {
                const InterruptWatch watch;
                if (watch.interrupted()) _exit(1);
                send(SIGINT);
                if (!wait_until([&] { return watch.interrupted(); })) _exit(2);
                send_last(SIGINT);
              }),
              KilledBySignal(SIGINT), "");
}

TEST(InterruptWatch, OneInterruptMayArriveTwice) {
  EXPECT_EXIT(live_through([] {
                const InterruptWatch watch;
                for (const int signal : {SIGUSR1, SIGTERM, SIGUSR1, SIGUSR1}) send(signal);
              }),
              ExitedWithCode(0), "");
}

TEST(InterruptWatch, AfterwardsASignalEndsTheProgram) {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    EXPECT_EXIT(live_through([&] {
                  { const InterruptWatch watch; }
                  send_last(signal);
                }),
                KilledBySignal(signal), "");
  }
}

TEST(InterruptWatch, AWorkerThatHasStoppedWithTheOthersSurvivesItsOwnSignal) {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    EXPECT_EXIT(live_through([&] {
                  { const InterruptWatch watch("", InterruptWatch::Afterwards::Nothing); }
                  send(signal);
                  send(SIGUSR1);
                }),
                ExitedWithCode(0), "");
  }
}

TEST(InterruptWatch, ItsMessageIsPrinted) {
  EXPECT_EXIT(live_through([] {
                const InterruptWatch watch("soon\n");
                send(SIGTERM);
                send(SIGUSR1);
              }),
              ExitedWithCode(0), "soon");
}

TEST(LastWords, ArePrintedByTheSignalThatEndsTheProgram) {
  EXPECT_EXIT(live_through([] {
                const InterruptWatch watch("soon\n");
                const LastWords words("logs: here\n");
                send(SIGINT);
                send_last(SIGINT);
              }),
              KilledBySignal(SIGINT), "soon\nlogs: here\n");
}

}  // namespace
}  // namespace lockstep
