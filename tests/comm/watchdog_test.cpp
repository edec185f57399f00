#include "comm/watchdog.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(Watchdog, ActsOnACallThatDoesNotEnd) {
  std::atomic<int> acted = 0;
  Watchdog dog(Seconds{0.05}, [&] {
    acted = 1;
    acted.notify_all();
  });
  const Watchdog::Call call(dog);
  acted.wait(0);
  EXPECT_EQ(acted, 1);
}

TEST(Watchdog, LetsCallsPassThatEnd) {
  std::atomic<int> acted = 0;
  Watchdog dog(Seconds{3600}, [&] { acted = 1; });
  for (int i = 0; i < 1000; ++i) const Watchdog::Call call(dog);
  EXPECT_EQ(acted, 0);
}

}  // namespace
}  // namespace lockstep
