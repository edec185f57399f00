#include "support/ranks.h"

#include <exception>
#include <memory>
#include <thread>

#include "base/random_token.h"
#include "comm/backends.h"
#include "comm/local.h"
#include "comm/store.h"
#include "comm/store_server.h"

namespace lockstep {
namespace {

using MakeRank = std::function<void(int rank, const RankFunction& rank_function)>;

std::vector<std::string> run_threads(int ranks, const std::function<void(int)>& thread) {
  std::vector<std::string> errors(ranks);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        thread(rank);
      } catch (const std::exception& error) {
        errors[rank] = error.what();
      }
    });
  }
  threads.clear();
  return errors;
}

std::vector<std::string> run_local(int ranks, const CommOptions& options,
                                   const RankFunction& function) {
  auto comms = make_local(ranks, options.stall_timeout);
  return run_threads(ranks, [&](int rank) {
    const std::unique_ptr<Communicator> comm =
        with_compression(with_rules(std::move(comms[rank]), options.rules), options.compression);
    function(*comm);
  });
}

// Over a real store; `hosts` gives each rank the name of its host.
std::vector<std::string> run_backend(std::string_view backend, int ranks_per_host, int ranks,
                                     const CommOptions& options, const RankFunction& function) {
  const std::string token = random_token();
  StoreServer server({.endpoint = {"127.0.0.1", 0}, .token = token});
  return run_threads(ranks, [&](int rank) {
    Store store(
        {.endpoint = {"127.0.0.1", server.port()}, .token = token, .member = std::to_string(rank)});
    const std::string host = "host" + std::to_string(rank / ranks_per_host);
    const Roster roster = meet(store, rank, ranks, host, options.stall_timeout);
    CommOptions given = options;
    given.interface = "lo";
    const auto comm = make_communicator(backend, roster, given, store);
    function(*comm);
  });
}

template <const char* kBackend, int kRanksPerHost>
std::vector<std::string> run_on(int ranks, const CommOptions& options,
                                const RankFunction& function) {
  return run_backend(kBackend, kRanksPerHost, ranks, options, function);
}

constexpr char kShm[] = "shm", kGloo[] = "gloo", kHierarchical[] = "hierarchical";

const RankRunner kRunners[] = {
    {"local", run_local},
    {"shm", run_on<kShm, 1000>},
#ifndef __SANITIZE_THREAD__  // Gloo is not instrumented: its hand-overs look like races
    {"gloo", run_on<kGloo, 2>},
    {"hierarchical", run_on<kHierarchical, 3>},
#endif
};

}  // namespace

std::span<const RankRunner> rank_runners() { return kRunners; }
int most_ranks() { return 8; }

}  // namespace lockstep
