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

TEST(NetworkInterfaces, ANetworkStandsForTheInterfaceInIt) {
  EXPECT_EQ(address_of_interface("127.0.0.0/8"), "127.0.0.1");
  EXPECT_THROW(address_of_interface("203.0.113.0/24"), UsageError);
  for (const NetworkInterface& each : network_interfaces()) {
    EXPECT_TRUE(each.address.starts_with("fe80") || in_network(each.address, each.network))
        << each.address << " " << each.network;
  }
}

TEST(NetworkInterfaces, ANetworkHasTheAddressesWithItsFirstBits) {
  EXPECT_TRUE(in_network("10.77.3.4", "10.77.0.0/16"));
  EXPECT_TRUE(in_network("10.77.0.130", "10.77.0.128/25"));
  EXPECT_FALSE(in_network("10.77.0.127", "10.77.0.128/25"));
  EXPECT_TRUE(in_network("fd00::7", "fd00::/64"));
  EXPECT_FALSE(in_network("fd00::7", "10.0.0.0/8"));
  EXPECT_FALSE(in_network("node1", "10.0.0.0/8"));
  for (const char* text : {"10.0.0.0", "10.0.0.0/33", "10.0.0/8", "eth0", "eth0/24", "/8", ""}) {
    EXPECT_FALSE(is_network(text)) << text;
  }
}

TEST(NetworkInterfaces, AHostThatNobodyKnowsIsInNoNetwork) {
  EXPECT_EQ(network_with_host("no-such-host.invalid"), "");
  EXPECT_EQ(network_with_host("localhost"), "") << "leads to no other host";
}

}  // namespace
}  // namespace lockstep
