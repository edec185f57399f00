// Two hosts, each with two ranks, and the link between them is cut: every rank ends with an Error
// that names ranks and hosts on the other side, and those beside the store name who is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <memory>
#include <thread>

#include "base/random_token.h"
#include "comm/store_server.h"
#include "support/host_network.h"
#include "support/rank_processes.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A socket belongs to the host in which it was made.
std::unique_ptr<StoreServer> serve_in(const HostNetwork& network, int host,
                                      const std::string& token) {
  std::unique_ptr<StoreServer> server;
  std::thread([&] {
    network.enter(host);
    server = std::make_unique<StoreServer>(
        StoreServerOptions{.endpoint = {HostNetwork::address(host), 0},
                           .token = token,
                           .keeper = "rank 0 (" + HostNetwork::name(host) + ")"});
  }).join();
  return server;
}

class CutLink : public ::testing::TestWithParam<std::string> {};

TEST_P(CutLink, EndsTheRanksOnBothSides) {
  const std::string why_not = HostNetwork::why_not();
  if (!why_not.empty()) GTEST_SKIP() << why_not;
  HostNetwork network({.hosts = 2});
  const std::string token = random_token();
  const auto server = serve_in(network, 0, token);
  RankProcesses ranks({.backend = GetParam(),
                       .hosts = {"host0", "host0", "host1", "host1"},
                       .store = {HostNetwork::address(0), server->port()},
                       .token = token,
                       .stall_timeout = Seconds{5},
                       .prepare = [&](int rank) { network.enter(rank / 2); }});
  ASSERT_EQ(ranks.wait_until_working(), "");
  network.cut(1);
  for (int rank = 0; rank < 4; ++rank) {
    const RankProcesses::End end = ranks.end_of(rank);
    if (rank < 2) {
      EXPECT_THAT(end.words, HasSubstr("rank 2 (host1)")) << "rank " << rank;
    } else {
      EXPECT_THAT(end.words, AllOf(HasSubstr("(host1) cannot reach the other ranks"),
                                   HasSubstr("rank 0 (host0)")))
          << "rank " << rank;
    }
    EXPECT_TRUE(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 1) << "rank " << rank;
  }
}

#ifndef __SANITIZE_THREAD__  // Gloo's threads in forked children are beyond the sanitizer
INSTANTIATE_TEST_SUITE_P(All, CutLink, ::testing::Values("gloo", "hierarchical"),
                         [](const auto& test) { return test.param; });
#endif
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CutLink);

}  // namespace
}  // namespace lockstep
