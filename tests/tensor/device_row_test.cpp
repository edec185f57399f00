#include "tensor/device_row.h"

#include <gtest/gtest.h>

#include <concepts>
#include <span>

namespace lockstep {
namespace {

TEST(DeviceRow, APartBeginsSoManyFloatsAfterTheRow) {
  char memory[100 * sizeof(float)];
  const DeviceRow row(memory, 100);
  const DeviceRow part = row.part(10, 20).part(5, 3);
  EXPECT_EQ(part.address(), memory + 15 * sizeof(float));
  EXPECT_EQ(part.size(), 3);
}

template <typename Row>
concept Readable = requires(Row row) {
  row[0];
}
|| requires(Row row) { *row.address(); }
|| std::convertible_to<Row, std::span<const float>>;
static_assert(!Readable<DeviceRow>, "the host must not read a device's memory by accident");
static_assert(Readable<std::span<float>>);

}  // namespace
}  // namespace lockstep
