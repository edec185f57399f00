// ranks.h: runs a function as every rank of a communicator, on each kind of communicator.
//
// Which kinds there are is decided by what the test program links: ranks as threads of the program
// (ranks.cpp), or the program itself started by mpirun (mpi_ranks.cpp).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "comm/comm_options.h"
#include "comm/communicator.h"

namespace lockstep {

using RankFunction = std::function<void(Communicator&)>;

struct RankRunner {
  std::string name;
  // The message of each rank's exception, empty for those that ended well. Under mpirun only this
  // process's rank counts.
  std::vector<std::string> (*run)(int ranks, const CommOptions& options, const RankFunction& rank);
};

std::span<const RankRunner> rank_runners();
const RankRunner& find_rank_runner(const std::string& name);
int most_ranks();  // that the runners can start

// As many as a test asks for, and no rank may fail.
void run_ranks(const std::string& runner, int ranks, const RankFunction& rank,
               const CommOptions& options = {});

}  // namespace lockstep
