#include "tensor/parameter_arena.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

const std::vector<int64_t> kSizes = {10, 16, 33};
const std::vector<ParameterId> kBackward = {2, 0, 1};

TEST(ParameterArena, GivesEachParameterItsSize) {
  const ParameterArena arena(kSizes, kBackward);
  ASSERT_EQ(arena.count(), 3);
  for (ParameterId id = 0; id < 3; ++id) {
    EXPECT_EQ(std::ssize(arena.values(id)), kSizes[id]);
    EXPECT_EQ(std::ssize(arena.gradient(id)), kSizes[id]);
  }
}

TEST(ParameterArena, StartsEachParameterOnACacheLine) {
  const ParameterArena arena(kSizes, kBackward);
  for (ParameterId id = 0; id < 3; ++id) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.values(id).data()) % 64, 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.gradient(id).data()) % 64, 0u);
  }
}

TEST(ParameterArena, PlacesParametersInTheGivenOrderWithoutGaps) {
  const ParameterArena arena(kSizes, kBackward);
  EXPECT_EQ(arena.offset(2), 0);
  EXPECT_EQ(arena.offset(0), 48);  // 33 floats take three lines of 16
  EXPECT_EQ(arena.offset(1), 64);
  EXPECT_EQ(arena.all_gradients().size(), 80u);
  EXPECT_EQ(arena.gradient(0).data(), arena.all_gradients().data() + 48);
}

TEST(ParameterArena, PutsGradientsIntoTheGivenMemory) {
  const std::byte* given = nullptr;
  const ParameterArena arena(kSizes, kBackward, [&](int64_t bytes) {
    Memory memory(bytes);
    given = memory.data();
    return memory;
  });
  EXPECT_EQ(reinterpret_cast<const std::byte*>(arena.all_gradients().data()), given);
}

TEST(ParameterArena, KeepsValuesAndGradientsApart) {
  const ParameterArena arena(kSizes, kBackward);
  arena.values(1)[0] = 5;
  EXPECT_EQ(arena.gradient(1)[0], 0);
}

}  // namespace
}  // namespace lockstep
