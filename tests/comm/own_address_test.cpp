// Which of its addresses a host tells the others when nobody knows its name.
#include "comm/own_address.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "comm/mpi_interfaces.h"

namespace lockstep {
namespace {

Roster hosts(int rank, const std::vector<std::string>& names) {
  Roster roster = {.rank = rank, .members = {}};
  for (const std::string& name : names) roster.members.push_back({roster.size(), name});
  return roster;
}

// An address that several hosts have, and then others.
std::string docker_and(const char* others) {
  return fmt::format("172.17.0.1 172.17.0.0/16,{}", others);
}

TEST(OwnAddress, IsInTheNetworkThatAllHostsShare) {
  const Roster roster = hosts(0, {"a", "a", "b", "c"});
  const std::string own = docker_and("192.168.1.1 192.168.1.0/24,10.77.0.1 10.77.0.0/24");
  EXPECT_EQ(
      address_in_common_network(roster, {own, own, docker_and("10.77.0.2 10.77.0.0/24"),
                                         "10.77.0.3 10.77.0.0/24,192.168.1.3 192.168.1.0/24"}),
      "10.77.0.1");
}

TEST(OwnAddress, IsUnknownWithoutACommonNetwork) {
  const Roster roster = hosts(0, {"a", "b"});
  EXPECT_EQ(address_in_common_network(
                roster, {docker_and("10.1.0.1 10.1.0.0/24"), docker_and("10.2.0.1 10.2.0.0/24")}),
            "");
  EXPECT_EQ(address_in_common_network(roster, {"", ""}), "");
}

TEST(OwnAddress, OfThisMachineNamesItsNetworks) {
  const std::string text = own_networks();
  EXPECT_TRUE(text.empty() || text.find('/') != std::string::npos) << text;
  EXPECT_EQ(text.find("127.0.0.1"), std::string::npos);
}

TEST(MpiInterfaces, AddressesOfMpirunsHostAreInItsUri) {
  EXPECT_EQ(addresses_in_uri("1218838528.0;tcp://10.77.0.1,172.17.0.1:46315"),
            (std::vector<std::string>{"10.77.0.1", "172.17.0.1"}));
  EXPECT_TRUE(addresses_in_uri("").empty());
  EXPECT_TRUE(addresses_in_uri("1218838528.0;usock").empty());
}

TEST(MpiInterfaces, AnAddressThatMpirunsHostHasTooIsMisleading) {
  const std::vector<NetworkInterface> own = {
      {.name = "lo", .address = "127.0.0.1"},
      {.name = "eth0", .address = "10.77.0.2", .for_others = true},
      {.name = "docker0", .address = "172.17.0.1", .for_others = true}};
  EXPECT_EQ(misleading_interfaces(own, {"10.77.0.1", "172.17.0.1"}),
            std::vector<std::string>{"docker0"});
  EXPECT_EQ(excluded_interfaces({"docker0"}), "127.0.0.1/8,sppp,docker0");
}

TEST(MpiInterfaces, NoneIsMisleadingOnMpirunsHost) {
  const std::vector<NetworkInterface> own = {
      {.name = "eth0", .address = "10.77.0.1", .for_others = true},
      {.name = "docker0", .address = "172.17.0.1", .for_others = true}};
  EXPECT_TRUE(misleading_interfaces(own, {"10.77.0.1", "172.17.0.1"}).empty());
  EXPECT_TRUE(misleading_interfaces(own, {}).empty());
}

}  // namespace
}  // namespace lockstep
