// What a worker's input may use of its host.
#include "run/run_input.h"

#include <gtest/gtest.h>

#include <thread>

namespace lockstep {
namespace {

TEST(OnAllCores, ThreadsAreNotPinnedToTheCoreOfTheirCreator) {
  const CoreSet before = allowed_cores(), one = {before.front()};
  const Group group({}, {}, {});
  bind_this_thread(one);
  if (allowed_cores() != one) GTEST_SKIP() << "nobody may bind threads here";
  CoreSet theirs;
  {
    const OnAllCores for_its_threads(group);
    std::jthread([&] { theirs = allowed_cores(); }).join();
  }
  const CoreSet after = allowed_cores();
  bind_this_thread(before);
  EXPECT_EQ(theirs, group.usable_cores());
  EXPECT_EQ(after, one);
}

}  // namespace
}  // namespace lockstep
