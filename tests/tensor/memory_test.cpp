#include "tensor/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"

namespace lockstep {
namespace {

bool is_mapped(std::byte* page) {
  unsigned char resident = 0;
  return mincore(page, 4096, &resident) == 0 || errno != ENOMEM;
}

TEST(Memory, StartsZeroedAndOnAPage) {
  for (const int64_t bytes : {4, 5000, 3 << 20}) {
    const Memory memory(bytes);
    EXPECT_EQ(memory.bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % 4096, 0u);
    EXPECT_TRUE(std::all_of(memory.data(), memory.data() + bytes,
                            [](std::byte b) { return b == std::byte{0}; }));
  }
}

TEST(Memory, OfNoBytesHoldsNothing) {
  EXPECT_EQ(Memory(0).data(), nullptr);
  EXPECT_TRUE(Memory().floats().empty());
}

TEST(Memory, MovesWithoutCopying) {
  Memory first(4096);
  first.floats()[3] = 2;
  const std::byte* const address = first.data();
  const Memory second = std::move(first);
  EXPECT_EQ(second.data(), address);
  EXPECT_EQ(second.floats()[3], 2);
}

TEST(Memory, FreesItsOldBlockOnAssignment) {
  Memory target(4096);
  std::byte* const old = target.data();
  ASSERT_TRUE(is_mapped(old));
  target = Memory(8192);
  EXPECT_FALSE(is_mapped(old));
  EXPECT_EQ(target.bytes(), 8192);
  EXPECT_TRUE(is_mapped(target.data()));
}

TEST(Memory, KeepsABorrowedBlockAlive) {
  auto block = std::make_shared<std::vector<std::byte>>(4096);
  const std::weak_ptr<const void> watch = block;
  Memory memory(*block, block);
  block.reset();
  EXPECT_FALSE(watch.expired());
  memory.floats()[1023] = 1;
  memory = Memory();
  EXPECT_TRUE(watch.expired());
}

TEST(Memory, ReportsTheSizeOfAFailedAllocation) {
  try {
    const Memory memory(int64_t{1} << 60);
    FAIL() << "the machine gave an exabyte";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("MB"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lockstep
