// link_bench.cpp: all-reduce between two hosts whose link has a known speed.
//
//   link_bench RATE ITERATIONS MIB...          (RATE as tc writes it: 1gbit; needs root)
//
// The hosts are network namespaces of this machine. One line of JSON for each size, back-end and
// number of ranks per host.
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/random_token.h"
#include "base/text.h"
#include "comm/all_reduce_timing.h"
#include "comm/backends.h"
#include "comm/store.h"
#include "comm/store_server.h"
#include "support/host_network.h"

namespace lockstep {
namespace {

constexpr int kHosts = 2;

struct Layout {
  const char* backend;
  int ranks_per_host;
};
constexpr Layout kLayouts[] = {{"gloo", 1}, {"hierarchical", 2}};

struct Plan {
  Layout layout;
  int iterations;
  std::vector<int64_t> sizes;
  StoreOptions store;
};

void be_rank(const Plan& plan, int rank) {
  StoreOptions where = plan.store;
  where.member = std::to_string(rank);
  Store store(where);
  const int ranks = kHosts * plan.layout.ranks_per_host;
  const std::string host = HostNetwork::name(rank / plan.layout.ranks_per_host);
  const Roster roster = meet(store, rank, ranks, host, Seconds{60});
  const auto comm = make_communicator(plan.layout.backend, roster, {}, store);
  const Memory memory = comm->allocate(*std::max_element(plan.sizes.begin(), plan.sizes.end()));
  const TimedCommunicator timed[] = {{*comm, memory.floats()}};
  for (const int64_t bytes : plan.sizes) {
    const auto times = time_all_reduce(
        timed, {.message_floats = {bytes / 4}, .warm_up = 2, .iterations = plan.iterations});
    if (rank != 0) continue;
    const nlohmann::json line = {{"contender", plan.layout.backend},
                                 {"ranks", ranks},
                                 {"hosts", kHosts},
                                 {"bytes", bytes},
                                 {"seconds", times[0].seconds},
                                 {"wrong", times[0].wrong}};
    std::puts(line.dump().c_str());
  }
}

// Never returns: this is a process of its own.
[[noreturn]] void run_rank(const HostNetwork& network, const Plan& plan, int rank) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    network.enter(rank / plan.layout.ranks_per_host);
    be_rank(plan, rank);
    std::fflush(stdout);
    _exit(0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "link_bench: %s\n", error.what());
    _exit(1);
  }
}

bool measure(const HostNetwork& network, Plan plan) {
  std::unique_ptr<StoreServer> server;
  plan.store.token = random_token();
  std::thread([&] {  // a socket belongs to the host in which it was made
    network.enter(0);
    server = std::make_unique<StoreServer>(
        StoreServerOptions{.endpoint = {HostNetwork::address(0), 0}, .token = plan.store.token});
  })
      .join();
  plan.store.endpoint = {HostNetwork::address(0), server->port()};
  std::vector<pid_t> processes;
  for (int rank = 0; rank < kHosts * plan.layout.ranks_per_host; ++rank) {
    const pid_t process = fork();
    if (process == 0) run_rank(network, plan, rank);
    processes.push_back(process);
  }
  bool all_well = true;
  for (const pid_t process : processes) {
    int status = 1;
    waitpid(process, &status, 0);
    all_well = all_well && status == 0;
  }
  return all_well;
}

int run(const std::string& rate, int iterations, const std::vector<int64_t>& sizes) {
  const std::string why_not = HostNetwork::why_not();
  if (!why_not.empty()) throw Error("{}", why_not);
  bool all_well = true;
  for (const Layout& layout : kLayouts) {
    const HostNetwork network({.hosts = kHosts, .rate = rate});
    all_well = measure(network, {layout, iterations, sizes, {}}) && all_well;
  }
  return all_well ? 0 : 1;
}

}  // namespace
}  // namespace lockstep

int main(int count, char** words) {
  std::vector<int64_t> sizes;
  for (int i = 3; i < count; ++i) sizes.push_back(*lockstep::whole_number(words[i]) << 20);
  try {
    return lockstep::run(words[1], static_cast<int>(*lockstep::whole_number(words[2])), sizes);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "link_bench: %s\n", error.what());
    return 1;
  }
}
