#include "support/host_network.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/error.h"

namespace lockstep {
namespace {

class HostNetworkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string why = HostNetwork::why_not();
    if (!why.empty()) GTEST_SKIP() << why;
  }
};

struct Outcome {
  std::string output;
  bool succeeded;
};

Outcome run(const HostNetwork& network, int host, const std::string& script) {
  std::string line;
  for (const std::string& word : network.command_in(host, {"sh", "-c", "'" + script + "'"})) {
    line += word + " ";
  }
  std::FILE* pipe = popen(line.c_str(), "r");
  Outcome outcome{};
  char part[256];
  while (std::fgets(part, sizeof part, pipe)) outcome.output += part;
  outcome.succeeded = pclose(pipe) == 0;
  return outcome;
}

TEST_F(HostNetworkTest, HostsHaveTheirOwnNameAddressAndProcesses) {
  const HostNetwork network({.hosts = 3});
  for (int host = 0; host < 3; ++host) {
    EXPECT_EQ(run(network, host, "hostname").output, HostNetwork::name(host) + "\n");
    const std::string addresses = run(network, host, "ip -4 address show eth0").output;
    EXPECT_NE(addresses.find(HostNetwork::address(host) + "/24"), std::string::npos) << addresses;
    EXPECT_TRUE(run(network, host, "test /proc/1/ns/pid -ef /proc/self/ns/pid").succeeded);
  }
}

TEST_F(HostNetworkTest, ACutLinkPassesNothing) {
  HostNetwork network({.hosts = 2});
  EXPECT_NE(run(network, 1, "ip -br link show eth0").output.find("LOWER_UP"), std::string::npos);
  network.cut(1);
  EXPECT_EQ(run(network, 1, "ip -br link show eth0").output.find("LOWER_UP"), std::string::npos);
  EXPECT_NE(run(network, 0, "ip -br link show eth0").output.find("LOWER_UP"), std::string::npos);
  network.mend(1);
  EXPECT_NE(run(network, 1, "ip -br link show eth0").output.find("LOWER_UP"), std::string::npos);
}

TEST_F(HostNetworkTest, LinksAreAsFastAsTheyShouldBe) {
  const HostNetwork network({.hosts = 2, .rate = "1gbit"});
  EXPECT_NE(run(network, 0, "tc qdisc show dev eth0").output.find("tbf"), std::string::npos);
}

TEST_F(HostNetworkTest, ProcessesEndWithTheirHost) {
  auto network = std::make_unique<HostNetwork>(HostNetworkOptions{.hosts = 1});
  // The process in the host keeps the pipe open; its end ends the reading below.
  std::string line;
  for (const std::string& word :
       network->command_in(0, {"sh", "-c", "'echo started; exec sleep 1000'"})) {
    line += word + " ";
  }
  std::FILE* pipe = popen(line.c_str(), "r");
  char part[64];
  ASSERT_NE(std::fgets(part, sizeof part, pipe), nullptr);
  network.reset();
  EXPECT_EQ(std::fgets(part, sizeof part, pipe), nullptr);
  EXPECT_NE(pclose(pipe), 0);
}

}  // namespace
}  // namespace lockstep
