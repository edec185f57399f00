// What signals do to a process while it watches for them, and afterwards.
#include "base/interrupt.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>

#include "support/wait_until.h"

namespace lockstep {
namespace {

using ::testing::ExitedWithCode;
using ::testing::KilledBySignal;

// The time that the process sees.
std::atomic<int> seconds = 100;

// Nothing but a signal ends such a process.
template <typename Action>
[[noreturn]] void live_through(const Action& action) {
  const SignalThread signals([] { return TimePoint(std::chrono::seconds(seconds)); });
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

// A terminal that controls this process: whoever writes to it presses its keys.
int own_terminal() {
  const int keys = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (keys < 0 || grantpt(keys) != 0 || unlockpt(keys) != 0 || setsid() < 0) _exit(2);
  if (open(ptsname(keys), O_RDWR | O_CLOEXEC) < 0) _exit(2);
  return keys;
}

void press_ctrl_c(int keys) {
  if (write(keys, "\x03", 1) != 1) _exit(2);
}

void wait_for_interrupt(const InterruptWatch& watch) {
  if (!wait_until([&] { return watch.interrupted(); })) _exit(2);
}

TEST(InterruptWatch, RemembersTheFirstSignalAndOneTwoSecondsLaterKills) {
  for (const int signal : {SIGINT, SIGTERM}) {
    EXPECT_EXIT(live_through([&] {
                  const InterruptWatch watch;
                  if (watch.interrupted()) _exit(1);
                  send(signal);
                  wait_for_interrupt(watch);
                  seconds += 2;
                  send_last(signal);
                }),
                KilledBySignal(signal), "");
  }
}

TEST(InterruptWatch, TwoQuickSignalsAreOneRequest) {
  for (const int signal : {SIGINT, SIGTERM}) {
    EXPECT_EXIT(live_through([&] {
                  const InterruptWatch watch;
                  for (int i = 0; i < 5; ++i) send(signal);
                  wait_for_interrupt(watch);
                }),
                ExitedWithCode(0), "");
  }
}

TEST(InterruptWatch, TwoQuickCtrlCOfATerminalKill) {
  EXPECT_EXIT(live_through([] {
                const InterruptWatch watch;
                const int keys = own_terminal();
                press_ctrl_c(keys);
                wait_for_interrupt(watch);
                press_ctrl_c(keys);
                for (;;) pause();
              }),
              KilledBySignal(SIGINT), "");
}

TEST(InterruptWatch, TheSecondSignalOfARequestEndsNothingWhenTheWatchIsOver) {
  EXPECT_EXIT(live_through([] {
                {
                  const InterruptWatch watch;
                  send(SIGTERM);
                  wait_for_interrupt(watch);
                }
                send(SIGTERM);
                const InterruptWatch next;
                send(SIGTERM);
                send(SIGUSR1);  // the one before has been judged
                if (next.interrupted()) _exit(1);
              }),
              ExitedWithCode(0), "");
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
                wait_for_interrupt(watch);
                seconds += 2;
                send_last(SIGINT);
              }),
              KilledBySignal(SIGINT), "soon\nlogs: here\n");
}

TEST(LastWords, WithAnExitCodeEndTheProgramWithItBeforeAnythingWatches) {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    EXPECT_EXIT(live_through([&] {
                  const LastWords words("nothing was measured\n", 130);
                  send_last(signal);
                }),
                ExitedWithCode(130), "nothing was measured\n");
  }
}

TEST(LastWords, WithAnExitCodeAreNotSaidOnceSomethingWatches) {
  EXPECT_EXIT(live_through([] {
                const LastWords words("nothing was measured\n", 130);
                const InterruptWatch watch("soon\n");
                send(SIGINT);
                wait_for_interrupt(watch);
                seconds += 2;
                send_last(SIGINT);
              }),
              KilledBySignal(SIGINT), "^soon\n$");
}

}  // namespace
}  // namespace lockstep
