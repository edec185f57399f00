#include "comm/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/error.h"
#include "base/random_token.h"
#include "comm/missing_ranks.h"
#include "comm/roster.h"
#include "comm/store_server.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class StoreTest : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Store> client(const std::string& member = "") {
    return std::make_unique<Store>(
        StoreOptions{{GetParam(), server_.port()}, token_, member, Seconds{10}});
  }

  std::string token_ = random_token();
  StoreServer server_{{.endpoint = {GetParam(), 0}, .token = token_}};
};

template <typename Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_P(StoreTest, GivesBackWhatWasSet) {
  const auto one = client(), other = client();
  one->set("key", std::string("a\0b", 3));
  EXPECT_EQ(other->get("key", Seconds{10}), std::string("a\0b", 3));
  one->set("key", std::string(3000000, 'x'));
  EXPECT_EQ(other->get("key", Seconds{10}).size(), 3000000u);
}

TEST_P(StoreTest, WaitsForAKeyThatIsSetLater) {
  const auto waiting = client(), setting = client();
  std::string found;
  std::jthread thread([&] { found = waiting->get("late", Seconds{60}); });
  setting->set("early", "");
  setting->set("late", "value");
  thread.join();
  EXPECT_EQ(found, "value");
}

TEST_P(StoreTest, NamesTheRanksThatDidNotCome) {
  const auto one = client();
  one->set("host/1", "b");
  const std::string error = error_of([&] { one->get(numbered_keys("host/", 4), Seconds{0.05}); });
  EXPECT_THAT(error, AllOf(HasSubstr("rank 0, rank 2, rank 3"), Not(HasSubstr("rank 1"))));
  EXPECT_THAT(one->missing({"host/1", "host/2"}, Seconds{0}), ElementsAre("host/2"));
}

TEST_P(StoreTest, NobodyLeavesABarrierBeforeAllCame) {
  const auto one = client(), other = client();
  EXPECT_THAT(error_of([&] { one->barrier("start", 0, 2, Seconds{0.05}); }), HasSubstr("rank 1"));
  std::jthread thread([&] { other->barrier("start", 1, 2, Seconds{60}); });
  one->barrier("start", 0, 2, Seconds{60});
}

TEST_P(StoreTest, RanksMeetAndLearnTheirHosts) {
  std::vector<Roster> rosters(3);
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < 3; ++rank) {
      threads.emplace_back([&, rank] {
        rosters[rank] = meet(*client(), rank, 3, "host" + std::to_string(rank), Seconds{60});
      });
    }
  }
  for (const Roster& roster : rosters) EXPECT_EQ(roster.who(2), "rank 2 (host2)");
}

TEST_P(StoreTest, ANameOfAHostCommandsNoTerminal) {
  EXPECT_EQ(meet(*client(), 0, 1, "a\x1b[2J", Seconds{60}).who(0), "rank 0 (a?[2J)");
}

TEST_P(StoreTest, ReportsTheMemberThatItLost) {
  const auto one = client("0");
  client("1").reset();
  EXPECT_EQ(one->get("gone/1", Seconds{60}), "");
}

TEST_P(StoreTest, MissingRanksNamesTheLostRankAndNotTheSlowOne) {
  const auto one = client("0"), slow = client("2");
  client("1").reset();
  const Roster roster{.rank = 0, .members = {{0, "a"}, {1, "b"}, {2, "c"}}};
  EXPECT_EQ(missing_ranks(*one, roster, "main", Seconds{60}), "rank 1 (b) is gone");
}

TEST_P(StoreTest, MissingRanksNamesSilentRanks) {
  const auto one = client("0"), silent = client("1");
  const Roster roster{.rank = 0, .members = {{0, "a"}, {1, "b"}}};
  EXPECT_EQ(missing_ranks(*one, roster, "main", Seconds{0.1}), "rank 1 (b) does not answer");
}

TEST_P(StoreTest, MissingRanksReturnsTheReasonOfAnotherRank) {
  const auto one = client("0"), other = client("1");
  tell_reason(*other, "main", "rank 7 (z) died");
  const Roster roster{.rank = 0, .members = {{0, "a"}, {1, "b"}}};
  EXPECT_EQ(missing_ranks(*one, roster, "main", Seconds{60}), "rank 7 (z) died");
}

TEST_P(StoreTest, RefusesAWrongToken) {
  token_ = random_token();
  EXPECT_THAT(error_of([&] { client(); }), HasSubstr("token"));
}

TEST_P(StoreTest, AClientReportsAServerThatEnded) {
  auto server = std::make_unique<StoreServer>(StoreServerOptions{
      .endpoint = {GetParam(), 0}, .token = token_, .farewell_timeout = Seconds{0}});
  Store store({.endpoint = {GetParam(), server->port()}, .token = token_});
  server.reset();
  EXPECT_THAT(error_of([&] { store.set("a", "b"); }), HasSubstr("lost the store"));
}

TEST_P(StoreTest, AServerThatEndsStillAnswersItsMembers) {
  auto server = std::make_unique<StoreServer>(StoreServerOptions{
      .endpoint = {GetParam(), 0}, .token = token_, .farewell_timeout = Seconds{3600}});
  auto store =
      std::make_unique<Store>(StoreOptions{{GetParam(), server->port()}, token_, "", Seconds{10}});
  std::jthread ending([&] { server.reset(); });
  for (int i = 0; i < 100; ++i) store->set("key" + std::to_string(i), "value");
  EXPECT_EQ(store->get("key99", Seconds{60}), "value");
  store.reset();
}

TEST_P(StoreTest, TakesNoMessageThatIsTooLong) {
  EXPECT_THAT(error_of([&] { client()->set("key", std::string(kMostFrameBytes + 1, 'x')); }),
              HasSubstr("too large"));
}

INSTANTIATE_TEST_SUITE_P(Ipv4AndIpv6, StoreTest, ::testing::Values("127.0.0.1", "::1"),
                         [](const auto& test) { return test.param == "::1" ? "ipv6" : "ipv4"; });

}  // namespace
}  // namespace lockstep
