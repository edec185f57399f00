#include "base/network_interface.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/error.h"

namespace lockstep {
namespace {

TEST(NetworkInterfaces, LoopbackExistsAndIsNotReachableByOthers) {
  EXPECT_EQ(interface_with("127.0.0.1"), "lo");
  for (const NetworkInterface& each : network_interfaces()) {
    if (is_loopback(each.address)) {
      EXPECT_FALSE(each.for_others) << each.name;
    }
    EXPECT_EQ(each.ipv6, each.address.find(':') != std::string::npos) << each.address;
  }
}

TEST(NetworkInterfaces, LinkLocalAddressesAreNotOfferedToOthers) {
  for (const NetworkInterface& each : network_interfaces()) {
    if (each.address.starts_with("fe80:")) {
      EXPECT_FALSE(each.for_others) << each.address;
    }
  }
}

TEST(NetworkInterfaces, Version4ComesFirst) {
  EXPECT_TRUE(std::ranges::is_sorted(network_interfaces(), {}, &NetworkInterface::ipv6));
}

TEST(NetworkInterfaces, AnUnknownNameListsTheInterfaces) {
  EXPECT_EQ(address_of_interface("lo"), "127.0.0.1");
  try {
    address_of_interface("warp0");
    FAIL() << "there is an interface warp0";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("'warp0'"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("lo (127.0.0.1)"));
  }
}

}  // namespace
}  // namespace lockstep
