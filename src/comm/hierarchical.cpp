#include "comm/hierarchical.h"

#include <algorithm>

#include "base/error.h"
#include "comm/forwarding.h"
#include "comm/missing_ranks.h"
#include "comm/shm.h"

namespace lockstep {
namespace {

// A silent rank is noticed first on its own host, then by the other leaders, who wait for its
// leader, and last by the ranks that wait for those: so each hears the reason before it gives up.
constexpr double kGatheringPart = 0.6, kLeadersPart = 0.8;

std::string leaders_name(const std::string& name) { return name + "/leaders"; }

struct Levels {
  std::unique_ptr<ShmCommunicator> host;
  std::unique_ptr<Communicator> leaders;  // of a leader only
  std::unique_ptr<Communicator> world;
};

class HierarchicalCommunicator : public ForwardingCommunicator {
 public:
  HierarchicalCommunicator(const Roster& roster, const CommOptions& options, Store& store,
                           Levels levels)
      : ForwardingCommunicator(std::move(levels.world)),
        roster_(roster),
        name_(options.name),
        stall_timeout_(options.stall_timeout),
        store_(store),
        leading_(first_rank_of_each_host(roster)),
        host_(std::move(levels.host)),
        leaders_(std::move(levels.leaders)) {}

  Memory allocate(int64_t bytes) override { return host_->allocate(bytes); }

  void all_reduce(std::span<float> data) override {
    if (leading_.size() == 1) return gathering([&] { host_->all_reduce(data); });
    handing_down([&] {
      host_->all_reduce_through(data, [&](std::span<float> sum) {
        lead([&](Communicator& leaders) { leaders.all_reduce(sum); });
      });
    });
  }

  void broadcast(std::span<float> data, int root) override {
    const std::string& root_host = roster_.members[root].host;
    const bool here = roster_.members[rank()].host == root_host;
    const std::vector<int> root_ranks = ranks_on_host(roster_, root_host);
    if (here) gathering([&] { host_->broadcast(data, index_of(root_ranks, root)); });
    lead([&](Communicator& leaders) {
      leaders.broadcast(data, index_of(leading_, root_ranks.front()));
    });
    if (!here) handing_down([&] { host_->broadcast(data, 0); });
  }

  void barrier() override {
    gathering([&] { host_->barrier(); });
    lead([&](Communicator& leaders) { leaders.barrier(); });
    handing_down([&] { host_->barrier(); });
  }

 private:
  static int index_of(const std::vector<int>& ranks, int rank) {
    return static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
  }

  template <typename Action>
  void gathering(const Action& action) {
    inside(stall_timeout_ * kGatheringPart, action);
  }
  // The leader waits for its own host's ranks still, the others for all hosts.
  template <typename Action>
  void handing_down(const Action& action) {
    inside(leaders_ ? stall_timeout_ * kGatheringPart : stall_timeout_, action);
  }

  // What failed inside a host, its leader tells the other leaders.
  template <typename Action>
  void inside(Seconds patience, const Action& action) {
    host_->set_stall_timeout(patience);
    try {
      action();
    } catch (const Error& error) {
      if (leaders_ && !leaders_failed_) tell_reason(store_, leaders_name(name_), error.what());
      throw;
    }
  }

  // A leader's failure ends the waits of its host's other ranks, with the same words.
  template <typename Action>
  void lead(const Action& action) {
    if (!leaders_) return;
    try {
      action(*leaders_);
    } catch (const Error& error) {
      leaders_failed_ = true;
      host_->abandon(error.what());
    }
  }

  Roster roster_;
  std::string name_;
  Seconds stall_timeout_;
  Store& store_;  // borrowed: outlives the communicator
  std::vector<int> leading_;
  std::unique_ptr<ShmCommunicator> host_;
  std::unique_ptr<Communicator> leaders_;
  bool leaders_failed_ = false;  // then they know
};

}  // namespace

std::unique_ptr<Communicator> make_hierarchical(const Roster& roster, const CommOptions& options,
                                                Store& store, MakeCommunicator between) {
  const std::string& host = roster.members[roster.rank].host;
  const std::vector<int> leading = first_rank_of_each_host(roster);
  Levels levels;
  CommOptions inside = options;
  inside.name += "/host/" + host;
  levels.host =
      std::make_unique<ShmCommunicator>(roster.group(ranks_on_host(roster, host)), inside, store);
  if (std::find(leading.begin(), leading.end(), roster.rank) != leading.end()) {
    CommOptions across = options;
    across.name = leaders_name(options.name);
    across.stall_timeout *= kLeadersPart;
    levels.leaders =
        with_compression(with_rules(between(roster.group(leading), across, store), options.rules),
                         options.compression);
  }
  CommOptions everybody = options;
  everybody.name += "/world";
  levels.world = between(roster, everybody, store);
  return std::make_unique<HierarchicalCommunicator>(roster, options, store, std::move(levels));
}

}  // namespace lockstep
