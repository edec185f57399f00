#include "run/group.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/host_name.h"
#include "base/network_interface.h"
#include "base/random_token.h"
#include "base/text.h"
#include "base/version.h"
#include "comm/all_reduce_spec.h"
#include "comm/local.h"
#include "comm/missing_ranks.h"
#include "comm/nccl/nccl_communicator.h"
#include "comm/own_address.h"

namespace lockstep {
namespace {

std::string keeper() { return fmt::format("rank 0 ({})", host_name()); }

CommOptions comm_options(const RunConfig& run) {
  return {.name = "main",
          .stall_timeout = Seconds(run.stall_timeout),
          .interface = run.interface,
          .rules = run.all_reduce_spec.empty() ? AllReduceRules{}
                                               : parse_all_reduce_spec(run.all_reduce_spec).rules,
          .compression = parse_compression(run.gradient_compression)};
}

std::string backend_for(const RunConfig& run, const Roster& roster, Network network) {
  // With nccl, what is not on GPUs goes the usual way.
  if (run.communicator != "auto" && run.communicator != kNccl) return run.communicator;
  const bool per_host =
      !run.all_reduce_spec.empty() && parse_all_reduce_spec(run.all_reduce_spec).per_host;
  const bool several_hosts = first_rank_of_each_host(roster).size() > 1;
  if (per_host && several_hosts) {
    return network == Network::Mpi ? "hierarchical_mpi" : "hierarchical";
  }
  return std::string(default_backend(roster, network));
}

// The address of rank 0's store, sent to the other ranks over MPI: "address:port token".
struct StoreNews {
  Endpoint endpoint;
  std::string token;

  std::string text() const { return endpoint.text() + " " + token; }
  static StoreNews parse(const std::string& text) {
    const size_t space = text.find(' ');
    return {parse_endpoint(text.substr(0, space)), text.substr(space + 1)};
  }
};

}  // namespace

Group::Group(const RankIdentity& identity, const Roles& roles, const RunConfig& run)
    : identity_(identity), roles_(roles), options_(comm_options(run)) {
  if (identity_.rendezvous == Rendezvous::None) {
    roster_ = {.rank = 0, .members = {{.run_rank = 0, .host = host_name()}}};
    members_ = {{host_name(), allowed_cores()}};
    control_ = std::move(make_local(1).front());
    return;
  }
  if (identity_.rendezvous == Rendezvous::Mpi) {
    // MPI itself would end with a page of text that does not name the reason.
    if (!run.interface.empty()) address_of_interface(run.interface);
    mpi_.emplace(identity_.mpirun_addresses);
    if (mpi_->roster().size() != identity_.size) {
      throw Error(
          "MPI reports {} of the {} started processes; start this program with the mpirun of {}, "
          "which it is linked with",
          mpi_->roster().size(), identity_.size, mpi_library_version());
    }
  }
  if (identity_.rendezvous == Rendezvous::OwnStore && identity_.rank == 0) {
    server_.emplace(StoreServerOptions{
        .endpoint = {"", identity_.store.port}, .token = identity_.token, .keeper = keeper()});
  }
  if (mpi_) {
    std::string news;
    const std::vector<std::string> networks = mpi_->from_all(own_networks());
    if (mpi_->roster().rank == 0) {
      identity_.token = random_token();
      server_.emplace(
          StoreServerOptions{.endpoint = {}, .token = identity_.token, .keeper = keeper()});
      news = StoreNews{{own_address(mpi_->roster(), run.interface, networks), server_->port()},
                       identity_.token}
                 .text();
    }
    const StoreNews told = StoreNews::parse(mpi_->from_rank_0(news));
    identity_.store = told.endpoint;
    identity_.token = told.token;
  }
  meet(run);
  backend_ = backend_for(run, roster_, mpi_ ? Network::Mpi : Network::Gloo);
  if (roles_.in_worker && roles_.servers > 0 && backend_.ends_with("mpi")) {
    throw UsageError(
        "--ps-in-worker is not supported with MPI; use --communicator gloo or hierarchical");
  }
  if (!roles_.is_server(rank())) control_ = connect("control", workers());
}

StoreOptions Group::store_options(int rank) const {
  return {.endpoint = identity_.store,
          .token = identity_.token,
          .member = fmt::to_string(rank),
          .connect_timeout = options_.stall_timeout};
}

void Group::meet(const RunConfig& run) {
  const Seconds patience = options_.stall_timeout;
  store_.emplace(store_options(identity_.rank));
  try {
    roster_ = lockstep::meet(*store_, identity_.rank, identity_.size, host_name(), patience);
  } catch (const Error& error) {  // adds possible causes
    throw Error(
        "{}; rendezvous at {}: check that all processes are running and that no firewall blocks "
        "this address; 'lockstep doctor' checks the links between hosts",
        error.what(), identity_.store.text());
  }
  if (started_by_hand(run)) {
    for (Member& member : roster_.members) member.name = name_of(roles_, member.run_rank);
  }
  store_->set(fmt::format("cores/{}", identity_.rank), core_text(allowed_cores()));
  const auto cores = store_->get(numbered_keys("cores/", identity_.size), patience);
  for (size_t i = 0; i < cores.size(); ++i) {
    members_.push_back({roster_.members[i].host, parse_cores(cores[i])});
  }
  check_consistency(*store_, roster_, "options", traits_of(run, program_version()), patience);
  // Servers inside workers are ranks without a process of their own.
  for (int server = 0; roles_.in_worker && server < roles_.servers; ++server) {
    roster_.members.push_back({.run_rank = roles_.workers + server,
                               .host = roster_.members[static_cast<size_t>(server)].host,
                               .name = {}});
  }
}

Roster Group::workers() const {
  Roster roster = roster_;
  roster.members.resize(static_cast<size_t>(roles_.workers));
  return roster;
}

int Group::nodes() const { return static_cast<int>(first_rank_of_each_host(workers()).size()); }

int Group::workers_here() const {
  const std::string& host = roster_.members[static_cast<size_t>(rank())].host;
  return static_cast<int>(ranks_on_host(workers(), host).size());
}

int Group::local_rank() const {
  const std::string& host = roster_.members[static_cast<size_t>(rank())].host;
  const std::vector<int> here = ranks_on_host(workers(), host);
  return static_cast<int>(std::ranges::find(here, rank()) - here.begin());
}

CoreSet Group::own_cores() const {
  if (!chosen_cores_.empty()) return chosen_cores_;
  const GroupMember& own = members_[static_cast<size_t>(rank())];
  int sharers = 0, position = 0;
  for (int other = 0; other < roles_.workers; ++other) {
    const GroupMember& member = members_[static_cast<size_t>(other)];
    if (member.host != own.host || member.cores != own.cores) continue;
    if (other == rank()) position = sharers;
    ++sharers;
  }
  const std::vector<CoreSet> parts = split_cores(own.cores, sharers);
  return parts.empty() ? CoreSet{} : parts[static_cast<size_t>(position)];
}

bool Group::leads_its_cores() const {
  const GroupMember& own = members_[static_cast<size_t>(rank())];
  const auto first = std::ranges::find_if(members_, [&](const GroupMember& member) {
    return member.host == own.host && member.cores == own.cores;
  });
  return &*first == &own;
}

bool Group::pinned() const {
  return !chosen_cores_.empty() || (workers_here() > 1 && !own_cores().empty());
}

CoreSet Group::usable_cores() const {
  const CoreSet own = own_cores();
  return own.empty() ? members_[static_cast<size_t>(rank())].cores : own;
}

int Group::cores_here() const {
  std::set<int> cores;
  for (int other = 0; other < roles_.workers; ++other) {
    const GroupMember& member = members_[static_cast<size_t>(other)];
    if (member.host == members_[static_cast<size_t>(rank())].host) {
      cores.insert(member.cores.begin(), member.cores.end());
    }
  }
  return std::max(static_cast<int>(cores.size()), 1);
}

void Group::check_consistent(const std::string& subject, const Traits& mine) {
  if (store_) check_consistency(*store_, workers(), subject, mine, options_.stall_timeout);
}

void Group::tell(const std::string& key, const std::string& value) {
  if (store_) {
    store_->set(key, value);
  } else {
    own_words_[key] = value;
  }
}

std::optional<std::string> Group::told(const std::string& key) {
  if (!store_) {
    const auto found = own_words_.find(key);
    return found == own_words_.end() ? std::nullopt : std::optional(found->second);
  }
  if (!store_->missing({key}, Seconds{0}).empty()) return {};
  return store_->get(key, Seconds{0});
}

std::vector<int> Group::gone_workers() {
  return store_ ? gone_ranks(*store_, workers()) : std::vector<int>{};
}

void Group::check_all_there() {
  const Roster workers = this->workers();
  const std::vector<int> gone = gone_workers();
  if (!gone.empty()) {
    throw Error("{} {} gone", workers.who(gone), gone.size() == 1 ? "is" : "are");
  }
}

std::unique_ptr<Communicator> Group::connect_workers(const std::string& name) {
  if (!store_) return std::move(make_local(1).front());
  return connect(name, workers());
}

std::unique_ptr<Communicator> Group::connect_workers(const std::string& name,
                                                     const std::string& backend,
                                                     const AllReduceRules& rules) {
  CommOptions options = options_;
  options.name = name;
  options.rules = rules;
  return make_communicator(backend, workers(), options, *store_);
}

std::unique_ptr<Communicator> Group::connect_everyone(const std::string& name) {
  return connect(name, roster_);
}

std::unique_ptr<DeviceCommunicator> Group::connect_devices(const std::string& name) {
  CommOptions options = options_;
  options.name = name;
  return make_nccl(workers(), options, *store_);
}

std::unique_ptr<Communicator> Group::connect(const std::string& name, const Roster& roster) {
  CommOptions options = options_;
  options.name = name;
  if (name == "control") {  // exact numbers, in whatever way the back-end likes
    options.rules = {};
    options.compression = Compression::None;
  }
  return make_communicator(backend_, roster, options, *store_);
}

std::optional<ServerSeat> Group::server_seat(const std::string& name) const {
  if (!roles_.in_worker || rank() >= roles_.servers) return {};
  ServerSeat seat = {.store = store_options(roles_.workers + rank()),
                     .roster = roster_,
                     .backend = backend_,
                     .options = options_};
  seat.roster.rank = roles_.workers + rank();
  seat.options.name = name;
  return seat;
}

}  // namespace lockstep
