#include "launch/rank_placement.h"

#include <gmock/gmock.h>

#include <sstream>

#include "base/error.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr const char* kServed = "parameter_server";

class RunPlacesTest : public ::testing::Test {
 protected:
  // "worker 0 on a", in the order of ranks.
  std::vector<std::string> placed(const RunConfig& run, PerHost per_host = PerHost::AsSlots) {
    const RankPlacement placement = place_run(run, per_host, context_);
    std::vector<std::string> text;
    for (const PlacedRank& rank : placement.ranks) {
      text.push_back((rank.server ? "server on " : "worker on ") + placement.hosts[rank.host].name);
    }
    return text;
  }

  std::ostringstream out_, err_;
  const Context context_ = {.out = out_, .err = err_};
};

TEST_F(RunPlacesTest, SlotsCountOnlyWithoutNumDevices) {
  const RunConfig run = {.hosts = "a:2,b:2"};
  EXPECT_THAT(placed(run), ElementsAre("worker on a", "worker on a", "worker on b", "worker on b"));
  EXPECT_THAT(placed(run, PerHost::AsGiven), ElementsAre("worker on a", "worker on b"));
}

TEST_F(RunPlacesTest, ASubmittedJobGetsTheNodesItNeeds) {
  RunConfig run = {.num_devices = 2, .variable_update = kServed, .launcher = "slurm"};
  run.num_workers = 3;
  run.num_ps = 3;
  run.ps_per_node = 2;
  EXPECT_THAT(placed(run),
              ElementsAre("worker on node 3 of the job", "worker on node 3 of the job",
                          "worker on node 4 of the job", "server on node 1 of the job",
                          "server on node 1 of the job", "server on node 2 of the job"));
  EXPECT_TRUE(place_run(run, PerHost::AsSlots, context_).submitted);
}

TEST_F(RunPlacesTest, ServersInsideWorkersGetNoRank) {
  RunConfig run = {.variable_update = kServed, .ps_in_worker = true, .hosts = "a,b"};
  run.num_ps = 2;
  EXPECT_THAT(placed(run), ElementsAre("worker on a", "worker on b"));
}

TEST_F(RunPlacesTest, NamedHostsNeedServersWhereTheStrategyDoes) {
  EXPECT_THAT(placed({.variable_update = kServed, .ps_hosts = "c", .worker_hosts = "a,b"}),
              ElementsAre("worker on a", "worker on b", "server on c"));
  EXPECT_THAT([&] { placed({.variable_update = kServed, .worker_hosts = "a,b"}); },
              ThrowsMessage<UsageError>(HasSubstr("add --ps-hosts or --ps-in-worker")));
}

}  // namespace
}  // namespace lockstep
