// The runners of a program that mpirun started: each process is one rank. A test with fewer ranks
// than processes uses the first ones; all meet again after it.
#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <optional>

#include "base/random_token.h"
#include "base/text.h"
#include "comm/backends.h"
#include "comm/mpi.h"
#include "comm/store.h"
#include "comm/store_server.h"
#include "support/ranks.h"

namespace lockstep {
namespace {

// What main makes and the runners use.
struct Job {
  MpiSession session;
  std::unique_ptr<StoreServer> server;  // of rank 0
  std::unique_ptr<Store> store;
  int tests = 0;  // keeps their names apart in the store
};
Job* job = nullptr;

void open_store(Job& opened) {
  std::string where;
  if (opened.session.roster().rank == 0) {
    const std::string token = random_token();
    opened.server = std::make_unique<StoreServer>(StoreServerOptions{{"127.0.0.1", 0}, token});
    where = std::to_string(opened.server->port()) + " " + token;
  }
  const std::vector<std::string> told = split(opened.session.from_rank_0(where), ' ');
  opened.store = std::make_unique<Store>(
      StoreOptions{.endpoint = {"127.0.0.1", static_cast<int>(*whole_number(told[0]))},
                   .token = told[1],
                   .member = std::to_string(opened.session.roster().rank)});
}

std::vector<std::string> run_mpi(std::string_view backend, int ranks_per_host, int ranks,
                                 const CommOptions& options, const RankFunction& function) {
  const Roster& world = job->session.roster();
  CommOptions given = options;
  given.name += std::to_string(job->tests++);
  std::vector<std::string> errors(ranks);
  if (world.rank < ranks) {
    Roster roster = world;
    roster.members.resize(ranks);
    for (int i = 0; i < ranks; ++i) {
      roster.members[i].host = "host" + std::to_string(i / ranks_per_host);
    }
    try {
      const auto comm = make_communicator(backend, roster, given, *job->store);
      function(*comm);
    } catch (const std::exception& error) {
      errors[world.rank] = error.what();
    }
  }
  job->store->barrier(given.name + "/end", world.rank, world.size(), Seconds{120});
  return errors;
}

template <const char* kBackend, int kRanksPerHost>
std::vector<std::string> run_on(int ranks, const CommOptions& options,
                                const RankFunction& function) {
  return run_mpi(kBackend, kRanksPerHost, ranks, options, function);
}

constexpr char kMpi[] = "mpi", kHierarchicalMpi[] = "hierarchical_mpi";

const RankRunner kRunners[] = {
    {"mpi", run_on<kMpi, 2>},
    {"hierarchical_mpi", run_on<kHierarchicalMpi, 3>},
};

}  // namespace

std::span<const RankRunner> rank_runners() { return kRunners; }
int most_ranks() { return job->session.roster().size(); }

int run_under_mpi() {
  Job opened;
  job = &opened;
  open_store(opened);
  return RUN_ALL_TESTS();
}

}  // namespace lockstep

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return lockstep::run_under_mpi();
}
