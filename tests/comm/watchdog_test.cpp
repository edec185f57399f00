#include "comm/watchdog.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(Watchdog, ActsOnACallThatDoesNotEnd) {
  std::atomic<int> acted = 0;
  Watchdog dog(Seconds{0.05}, [&] {
    acted = 1;
    acted.notify_all();
    return true;
  });
  const Watchdog::Call call(dog);
  acted.wait(0);
  EXPECT_EQ(acted, 1);
}

TEST(Watchdog, AsksAgainUntilItIsEnough) {
  std::atomic<int> asked = 0;
  Watchdog dog(Seconds{0.01}, [&] {
    ++asked;
    asked.notify_all();
    return asked == 3;
  });
  const Watchdog::Call call(dog);
  for (int seen = 0; seen < 3; seen = asked) asked.wait(seen);
  EXPECT_EQ(asked, 3);
}

TEST(Watchdog, LetsCallsPassThatEnd) {
  std::atomic<int> acted = 0;
  Watchdog dog(Seconds{3600}, [&] {
    acted = 1;
    return true;
  });
  for (int i = 0; i < 1000; ++i) const Watchdog::Call call(dog);
  EXPECT_EQ(acted, 0);
}

}  // namespace
}  // namespace lockstep
