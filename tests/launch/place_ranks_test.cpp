#include "launch/place_ranks.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::vector<Host> kThree = {{"a", "a"}, {"b", "b"}, {"c", "c"}};

// "0@a" for a worker, "2:ps@c" for a server.
std::vector<std::string> placed(const std::vector<Host>& hosts, const PlacementRequest& request) {
  std::vector<std::string> text;
  for (const PlacedRank& rank : place_ranks(hosts, request)) {
    text.push_back(std::to_string(rank.rank) + (rank.server ? ":ps@" : "@") +
                   hosts[rank.host].name);
  }
  return text;
}

TEST(Placement, EveryHostHasOneWorkerByDefault) {
  EXPECT_THAT(placed(kThree, {}), ElementsAre("0@a", "1@b", "2@c"));
}

TEST(Placement, NeighbouringRanksShareAHost) {
  EXPECT_THAT(placed(kThree, {.nodes = 2, .workers_per_node = 2}),
              ElementsAre("0@a", "1@a", "2@b", "3@b"));
}

TEST(Placement, SlotsGiveTheNumberOfWorkersUnlessTheUserDoes) {
  const std::vector<Host> hosts = {{"a", "a", 2}, {"b", "b", 1}};
  EXPECT_THAT(placed(hosts, {}), ElementsAre("0@a", "1@a", "2@b"));
  EXPECT_THAT(placed(hosts, {.workers_per_node = 1}), ElementsAre("0@a", "1@b"));
}

TEST(Placement, FewerWorkersThanSlotsLeaveTheLastSlotsEmpty) {
  EXPECT_THAT(placed(kThree, {.workers_per_node = 2, .workers = 3}),
              ElementsAre("0@a", "1@a", "2@b"));
}

TEST(Placement, ServersAreDistributedRoundRobinOverWorkerHosts) {
  EXPECT_THAT(placed(kThree, {.nodes = 2, .servers = 3}),
              ElementsAre("0@a", "1@b", "2:ps@a", "3:ps@b", "4:ps@a"));
}

TEST(Placement, HostsWithoutWorkersHaveNoServersEither) {
  EXPECT_THAT(placed(kThree, {.workers = 2, .servers = 3}),
              ElementsAre("0@a", "1@b", "2:ps@a", "3:ps@b", "4:ps@a"));
}

TEST(Placement, ServersMayHaveTheFirstHostsToThemselves) {
  EXPECT_THAT(placed(kThree, {.servers = 2, .servers_per_node = 2}),
              ElementsAre("0@b", "1@c", "2:ps@a", "3:ps@a"));
  EXPECT_THAT(placed(kThree, {.nodes = 1, .servers = 2, .servers_per_node = 2}),
              ElementsAre("0@b", "1:ps@a", "2:ps@a"));
}

TEST(Placement, TooFewHostsAreRefusedWithTheNumbers) {
  EXPECT_THAT([] { place_ranks(kThree, {.nodes = 4}); },
              ThrowsMessage<UsageError>(
                  "--nodes 4: only 3 hosts listed; use --nodes 3, or list more hosts"));
  EXPECT_THAT([] { place_ranks(kThree, {.servers = 3, .servers_per_node = 1}); },
              ThrowsMessage<UsageError>("3 servers on 3 hosts of their own, and 1 host for "
                                        "workers: only 3 hosts listed; list more hosts"));
  EXPECT_THAT([] { place_ranks(kThree, {.workers = 4}); },
              ThrowsMessage<UsageError>("4 workers requested, but 3 hosts have slots for 3"));
  EXPECT_THAT(
      [] {
        place_ranks({{"a", "a"}}, {.workers_per_node = 2, .workers = 3});
      },
      ThrowsMessage<UsageError>("3 workers requested, but one host has slots for 2"));
}

TEST(ListedRanks, HaveAProcessPerEntryAndSharedHostsOnce) {
  const ListedRanks places = listed_ranks("a:2222,b:2222,a:2223", "b:2230,[fe80::1]:2230");
  EXPECT_EQ(places.hosts, (std::vector<Host>{{"a", "a"}, {"b", "b"}, {"fe80::1", "fe80::1"}}));
  EXPECT_EQ(places.ranks,
            (std::vector<PlacedRank>{
                {0, false, 0}, {1, false, 1}, {2, false, 0}, {3, true, 1}, {4, true, 2}}));
  EXPECT_EQ(places.first_port, 2222);
}

TEST(ListedRanks, KeepTheUserForSsh) {
  EXPECT_EQ(listed_ranks("me@a:2222,a", "").hosts, (std::vector<Host>{{"a", "me@a"}}));
  EXPECT_EQ(listed_ranks("me@[fd00::1]:2222", "").hosts,
            (std::vector<Host>{{"fd00::1", "me@fd00::1"}}));
}

TEST(ListedRanks, AnEmptyEntryIsRejected) {
  for (const char* list : {"a:1,,b:2", "a:1,", ",a:1", ","}) {
    EXPECT_THAT([&] { listed_ranks(list, ""); },
                ThrowsMessage<UsageError>(HasSubstr("--worker-hosts: empty entry")))
        << list;
  }
  EXPECT_THROW(listed_ranks("a:1", "b:1,"), UsageError);
}

TEST(ListedRanks, RejectInvalidHosts) {
  EXPECT_THROW(listed_ranks("a:x", ""), UsageError);
  EXPECT_THROW(listed_ranks("a;b", ""), UsageError);
  EXPECT_THROW(listed_ranks("-oProxyCommand=x", ""), UsageError);
}

}  // namespace
}  // namespace lockstep
