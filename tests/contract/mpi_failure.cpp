// Started by mpirun: the last rank gives itself the signal that the first argument names, in the
// middle of its rounds: "between" two calls, or "inside" MPI's blocking all-reduce, as the second
// says. The others must end with a line that names it; ctest looks for that line.
#include <mpi.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/random_token.h"
#include "base/text.h"
#include "comm/mpi.h"
#include "comm/store.h"
#include "comm/store_server.h"

// Raised by the next blocking all-reduce of this process.
static int signal_inside = 0;

// In place of MPI's own: its profiling interface is made for this.
extern "C" int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  if (signal_inside != 0) raise(signal_inside);
  return PMPI_Allreduce(from, to, count, type, op, comm);
}

namespace lockstep {
namespace {

void reduce_until_it_fails(int signal, bool inside) {
  MpiSession session;
  const Roster& roster = session.roster();
  std::unique_ptr<StoreServer> server;
  std::string where;
  if (roster.rank == 0) {
    const std::string token = random_token();
    server = std::make_unique<StoreServer>(
        StoreServerOptions{.endpoint = {"127.0.0.1", 0}, .token = token});
    where = std::to_string(server->port()) + " " + token;
  }
  const auto told = split(session.from_rank_0(where), ' ');
  Store store({.endpoint = {"127.0.0.1", static_cast<int>(*whole_number(told[0]))},
               .token = told[1],
               .member = std::to_string(roster.rank)});
  const auto comm = make_mpi(roster, {.stall_timeout = Seconds{4}}, store);
  std::vector<float> large(100000), small(10);
  for (int round = 0;; ++round) {
    const bool now = round == 5 && roster.rank + 1 == roster.size();
    if (now && inside) signal_inside = signal;
    comm->all_reduce(large);
    if (now) raise(signal);
    comm->all_reduce(small);
  }
}

}  // namespace
}  // namespace lockstep

int main(int, char** argv) {
  try {
    lockstep::reduce_until_it_fails(std::atoi(argv[1]), std::string(argv[2]) == "inside");
  } catch (const lockstep::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
  }
  return 1;
}
