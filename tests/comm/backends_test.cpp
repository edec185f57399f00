#include "comm/backends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/network_interface.h"
#include "base/random_token.h"
#include "comm/mpi.h"
#include "comm/store.h"
#include "comm/store_server.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Roster roster_of(const std::vector<std::string>& hosts, int rank = 0) {
  Roster roster{.rank = rank, .members = {}};
  for (const std::string& host : hosts) roster.members.push_back({roster.size(), host});
  return roster;
}

TEST(Backends, AreChosenFromWhereTheRanksAre) {
  EXPECT_EQ(default_backend(roster_of({"a"}), Network::Gloo), "shm");
  EXPECT_EQ(default_backend(roster_of({"a", "a"}), Network::Mpi), "shm");
  EXPECT_EQ(default_backend(roster_of({"a", "b"}), Network::Gloo), "gloo");
  EXPECT_EQ(default_backend(roster_of({"a", "b"}), Network::Mpi), "mpi");
  EXPECT_EQ(default_backend(roster_of({"a", "a", "b"}), Network::Gloo), "hierarchical");
  EXPECT_EQ(default_backend(roster_of({"a", "a", "b"}), Network::Mpi), "hierarchical_mpi");
}

class BackendErrors : public ::testing::Test {
 protected:
  std::string problem(const std::string& backend, const Roster& roster) {
    try {
      make_communicator(backend, roster, {.stall_timeout = Seconds{2}}, store_);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::string token_ = random_token();
  StoreServer server_{{.endpoint = {"127.0.0.1", 0}, .token = token_}};
  Store store_{{.endpoint = {"127.0.0.1", server_.port()}, .token = token_}};
};

TEST_F(BackendErrors, ListTheBackendsForAnUnknownName) {
  const std::string problem = this->problem("glue", roster_of({"a"}));
  for (const Backend& backend : comm_backends()) {
    EXPECT_THAT(problem, HasSubstr(std::string(backend.name)));
  }
}

TEST_F(BackendErrors, ShmRefusesSeveralHostsAndNamesThem) {
  EXPECT_THAT(problem("shm", roster_of({"a", "b"})), HasSubstr("rank 1 (b)"));
}

TEST_F(BackendErrors, MpiSaysThatItWasNotStarted) {
  EXPECT_THAT(problem("mpi", roster_of({"a"})), HasSubstr(has_mpi() ? "mpirun" : "without MPI"));
}

TEST_F(BackendErrors, GlooRefusesALoopbackAddressBetweenHosts) {
  store_.set("main/address/1", "192.0.2.1");
  EXPECT_THAT(problem("gloo", roster_of({"a", "b"})), HasSubstr("--interface"));
}

TEST(NetworkInterface, UnknownIsAnErrorThatListsWhatThereIs) {
  EXPECT_TRUE(is_loopback(address_of_interface("lo")));
  try {
    address_of_interface("no-such");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("lo (127.0.0.1)"));
  }
}

TEST(Roster, NamesRanksByTheirPlaceInTheRunAndTheirHost) {
  const Roster roster = roster_of({"a", "a", "b", "b"}, 2);
  EXPECT_EQ(roster.who(2), "rank 2 (b)");
  EXPECT_EQ(roster.who({0, 1, 3}), "rank 0 (a), rank 1 (a) and rank 3 (b)");
  const Roster group = roster.group({2, 3});
  EXPECT_EQ(group.rank, 0);
  EXPECT_EQ(group.who(1), "rank 3 (b)");
}

TEST(Roster, FindsTheRanksOfAHostAndTheFirstOfEach) {
  const Roster roster = roster_of({"b", "a", "b", "c", "a"});
  EXPECT_THAT(ranks_on_host(roster, "a"), ElementsAre(1, 4));
  EXPECT_THAT(first_rank_of_each_host(roster), ElementsAre(0, 1, 3));
}

}  // namespace
}  // namespace lockstep
