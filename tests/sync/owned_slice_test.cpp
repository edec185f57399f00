#include "sync/owned_slice.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lockstep {
namespace {

// Three numbers whose float sum depends on the order.
constexpr float kGradients[] = {1e8f, -1e8f, 1.0f};

bool push(OwnedSlice& slice, int worker, Rooms& rooms) {
  slice.room_for(worker, rooms)[0] = kGradients[worker];
  return slice.add(worker, rooms);
}

TEST(OwnedSlice, AddsInTheOrderOfTheWorkersWhateverTheOrderOfArrival) {
  int arrival[] = {0, 1, 2};
  do {
    float value = 0;
    Rooms rooms;
    OwnedSlice slice({&value, 1}, 3);
    EXPECT_FALSE(push(slice, arrival[0], rooms));
    EXPECT_FALSE(push(slice, arrival[1], rooms));
    EXPECT_TRUE(push(slice, arrival[2], rooms));
    EXPECT_EQ(slice.sum()[0], 1.0f);
  } while (std::ranges::next_permutation(arrival).found);
}

TEST(OwnedSlice, TakesOneGradientOfEachWorkerInAStep) {
  float value = 0;
  Rooms rooms;
  OwnedSlice slice({&value, 1}, 2);
  push(slice, 1, rooms);
  EXPECT_THROW(slice.room_for(1, rooms), std::runtime_error);
  push(slice, 0, rooms);
  slice.next_step(rooms);
  EXPECT_FALSE(push(slice, 1, rooms));
  EXPECT_EQ(slice.pushes(1), 2);
  EXPECT_EQ(slice.pushes(0), 1);
}

}  // namespace
}  // namespace lockstep
