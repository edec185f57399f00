#include "run/group.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/version.h"
#include "base/error.h"
#include "base/text.h"
#include "comm/all_reduce_spec.h"
#include "comm/local.h"
#include "comm/own_address.h"

namespace lockstep {
namespace {

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

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
  if (run.communicator != "auto") return run.communicator;
  const bool per_host =
      !run.all_reduce_spec.empty() && parse_all_reduce_spec(run.all_reduce_spec).per_host;
  const bool several_hosts = first_rank_of_each_host(roster).size() > 1;
  if (per_host && several_hosts) {
    return network == Network::Mpi ? "hierarchical_mpi" : "hierarchical";
  }
  return std::string(default_backend(roster, network));
}

// What MPI's ranks are told of rank 0's store: "address:port token".
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

Crew::Crew(const Place& place, const Roles& roles, const RunConfig& run)
    : place_(place), roles_(roles), options_(comm_options(run)) {
  if (place_.meeting == Meeting::Nobody) {
    roster_ = {.rank = 0, .members = {{.run_rank = 0, .host = host_name()}}};
    members_ = {{host_name(), allowed_cores()}};
    control_ = std::move(make_local(1).front());
    return;
  }
  if (place_.meeting == Meeting::Mpi) {
    mpi_.emplace();
    if (mpi_->roster().size() != place_.size) {
      throw Error(
          "MPI knows {} of the {} processes that were started: was this program started by "
          "the mpirun of its own MPI?",
          mpi_->roster().size(), place_.size);
    }
  }
  if (place_.meeting == Meeting::OwnStore && place_.rank == 0) {
    server_.emplace(StoreServerOptions{
        .endpoint = {"", place_.store.port}, .token = place_.token, .keeper = keeper()});
  }
  if (mpi_) {
    std::string news;
    if (mpi_->roster().rank == 0) {
      place_.token = random_token();
      server_.emplace(
          StoreServerOptions{.endpoint = {}, .token = place_.token, .keeper = keeper()});
      news = StoreNews{{own_address(mpi_->roster(), run.interface), server_->port()}, place_.token}
                 .text();
    }
    const StoreNews told = StoreNews::parse(mpi_->from_rank_0(news));
    place_.store = told.endpoint;
    place_.token = told.token;
  }
  meet(run);
  backend_ = backend_for(run, roster_, mpi_ ? Network::Mpi : Network::Gloo);
  if (roles_.in_worker && roles_.servers > 0 && backend_.ends_with("mpi")) {
    throw UsageError(
        "--ps-in-worker: to MPI a server is a process of its own; use --communicator "
        "gloo or hierarchical");
  }
  if (!roles_.is_server(rank())) control_ = connect("control", workers());
}

StoreOptions Crew::store_options(int rank) const {
  return {.endpoint = place_.store,
          .token = place_.token,
          .member = fmt::to_string(rank),
          .connect_timeout = options_.stall_timeout};
}

void Crew::meet(const RunConfig& run) {
  const Seconds patience = options_.stall_timeout;
  store_.emplace(store_options(place_.rank));
  try {
    roster_ = lockstep::meet(*store_, place_.rank, place_.size, host_name(), patience);
  } catch (const Error& error) {  // adds what it may come from
    throw Error(
        "{}; all meet at {}: do all processes run, and does a firewall keep some of them from it? "
        "'lockstep doctor' looks at the ways between hosts",
        error.what(), place_.store.text());
  }
  store_->set(fmt::format("cores/{}", place_.rank), core_text(allowed_cores()));
  const auto cores = store_->get(numbered_keys("cores/", place_.size), patience);
  for (size_t i = 0; i < cores.size(); ++i) {
    members_.push_back({roster_.members[i].host, parse_cores(cores[i])});
  }
  check_all_alike(*store_, roster_, "options", traits_of(run, program_version()), patience);
  // Servers inside workers are ranks without a process of their own.
  for (int server = 0; roles_.in_worker && server < roles_.servers; ++server) {
    roster_.members.push_back({.run_rank = roles_.workers + server,
                               .host = roster_.members[static_cast<size_t>(server)].host});
  }
}

Roster Crew::workers() const {
  Roster roster = roster_;
  roster.members.resize(static_cast<size_t>(roles_.workers));
  return roster;
}

int Crew::nodes() const { return static_cast<int>(first_rank_of_each_host(workers()).size()); }

int Crew::workers_here() const {
  const std::string& host = roster_.members[static_cast<size_t>(rank())].host;
  return static_cast<int>(ranks_on_host(workers(), host).size());
}

CoreSet Crew::own_cores() const {
  const CrewMember& own = members_[static_cast<size_t>(rank())];
  int sharers = 0, position = 0;
  for (int other = 0; other < roles_.workers; ++other) {
    const CrewMember& member = members_[static_cast<size_t>(other)];
    if (member.host != own.host || member.cores != own.cores) continue;
    if (other == rank()) position = sharers;
    ++sharers;
  }
  const std::vector<CoreSet> parts = split_cores(own.cores, sharers);
  return parts.empty() ? CoreSet{} : parts[static_cast<size_t>(position)];
}

CoreSet Crew::usable_cores() const {
  const CoreSet own = own_cores();
  return own.empty() ? members_[static_cast<size_t>(rank())].cores : own;
}

int Crew::cores_here() const {
  std::set<int> cores;
  for (int other = 0; other < roles_.workers; ++other) {
    const CrewMember& member = members_[static_cast<size_t>(other)];
    if (member.host == members_[static_cast<size_t>(rank())].host) {
      cores.insert(member.cores.begin(), member.cores.end());
    }
  }
  return std::max(static_cast<int>(cores.size()), 1);
}

void Crew::check_alike(const std::string& subject, const Traits& mine) {
  if (store_) check_all_alike(*store_, workers(), subject, mine, options_.stall_timeout);
}

std::unique_ptr<Communicator> Crew::connect_workers(const std::string& name) {
  if (!store_) return std::move(make_local(1).front());
  return connect(name, workers());
}

std::unique_ptr<Communicator> Crew::connect_workers(const std::string& name,
                                                    const std::string& backend,
                                                    const AllReduceRules& rules) {
  CommOptions options = options_;
  options.name = name;
  options.rules = rules;
  return make_communicator(backend, workers(), options, *store_);
}

std::unique_ptr<Communicator> Crew::connect_everyone(const std::string& name) {
  return connect(name, roster_);
}

std::unique_ptr<Communicator> Crew::connect(const std::string& name, const Roster& roster) {
  CommOptions options = options_;
  options.name = name;
  if (name == "control") {  // exact numbers, in whatever way the back-end likes
    options.rules = {};
    options.compression = Compression::None;
  }
  return make_communicator(backend_, roster, options, *store_);
}

std::optional<Seat> Crew::server_seat(const std::string& name) const {
  if (!roles_.in_worker || rank() >= roles_.servers) return {};
  Seat seat = {.store = store_options(roles_.workers + rank()),
               .roster = roster_,
               .backend = backend_,
               .options = options_};
  seat.roster.rank = roles_.workers + rank();
  seat.options.name = name;
  return seat;
}

}  // namespace lockstep
