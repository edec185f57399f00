#include "sync/request_clock.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

// The worker's clock is 1000 s ahead, and a request takes 1 s if the server looks for it.
constexpr Seconds kAhead{1000};

double arrival(RequestClock& clock, double sent, double looked, double heard) {
  clock.take(kAhead + Seconds(sent), Seconds(looked), Seconds(heard));
  return clock.arrival().count();
}

TEST(RequestClock, ARequestThatTheServerLookedForArrivesWhenItIsRead) {
  RequestClock clock;
  EXPECT_EQ(arrival(clock, 10, 5, 11), 11);
  EXPECT_EQ(arrival(clock, 20, 12, 22), 22) << "a slow one";
}

TEST(RequestClock, ARequestThatWaitedUnreadArrivedAsFastAsTheFastest) {
  RequestClock clock;
  arrival(clock, 10, 5, 11);
  EXPECT_EQ(arrival(clock, 20, 30, 30), 21);
  EXPECT_EQ(arrival(clock, 40, 45, 45.5), 41);
}

TEST(RequestClock, ARequestBehindAGradientArrivesAfterIt) {
  RequestClock clock;
  arrival(clock, 10, 5, 11);
  clock.take_gradient(Seconds(28));
  EXPECT_EQ(arrival(clock, 20, 30, 30), 28);
}

// A request of long ago was faster by its clock.
TEST(RequestClock, AClockThatDriftsIsNotTakenForAQueue) {
  RequestClock clock;
  arrival(clock, 10, 9, 10);
  for (int64_t i = 0; i < 2 * RequestClock::kRequests; ++i) arrival(clock, 20, 21, 21);
  EXPECT_EQ(arrival(clock, 30, 31, 31), 31);
}

}  // namespace
}  // namespace lockstep
