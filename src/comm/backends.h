// backends.h: the table of communicators, and the default for a placement of ranks.
//
// `local` (local.h) is not in it: its ranks are threads and are made together.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "comm/comm_options.h"
#include "comm/communicator.h"
#include "comm/roster.h"

namespace lockstep {

struct Backend {
  std::string_view name;
  std::string_view help;
  // Collective. Borrows the store, which outlives the communicator.
  std::unique_ptr<Communicator> (*make)(const Roster& roster, const CommOptions& options,
                                        Store& store);
};

std::span<const Backend> comm_backends();  // of this build

// Throws UsageError, saying what to use, for a backend that only other builds have.
void check_not_absent(std::string_view backend);

// Throws UsageError on an unknown name or one that does not fit the roster.
std::unique_ptr<Communicator> make_communicator(std::string_view backend, const Roster& roster,
                                                const CommOptions& options, Store& store);

enum class Network { Gloo, Mpi };  // what connects hosts
// One host: shm. One rank per host: the network alone. Else both.
std::string_view default_backend(const Roster& roster, Network network);

}  // namespace lockstep
