#include "comm/backends.h"

#include <fmt/ranges.h>

#include <vector>

#include "base/error.h"
#include "comm/gloo.h"
#include "comm/hierarchical.h"
#include "comm/mpi.h"
#include "comm/shm.h"

namespace lockstep {
namespace {

template <MakeCommunicator kMake>
std::unique_ptr<Communicator> everywhere(const Roster& roster, const CommOptions& options,
                                         Store& store) {
  return with_compression(with_rules(kMake(roster, options, store), options.rules),
                          options.compression);
}

std::unique_ptr<Communicator> on_one_host(const Roster& roster, const CommOptions& options,
                                          Store& store) {
  const std::vector<int> leading = first_rank_of_each_host(roster);
  if (leading.size() > 1) {
    throw UsageError("--communicator shm: {} are on different hosts; use hierarchical",
                     roster.who(leading));
  }
  return everywhere<make_shm>(roster, options, store);
}

template <MakeCommunicator kBetween>
std::unique_ptr<Communicator> per_host(const Roster& roster, const CommOptions& options,
                                       Store& store) {
  return make_hierarchical(roster, options, store, kBetween);
}

constexpr Backend kBackends[] = {
    {"shm", "shared memory, for ranks of one host", on_one_host},
    {"gloo", "TCP between all ranks", everywhere<make_gloo>},
    {"hierarchical", "shared memory inside each host, gloo between hosts", per_host<make_gloo>},
    {"mpi", "MPI, for ranks that mpirun or srun started", everywhere<make_mpi>},
    {"hierarchical_mpi", "shared memory inside each host, mpi between hosts", per_host<make_mpi>},
};
constexpr size_t kOnMpi = 2;  // the last of them

}  // namespace

std::span<const Backend> comm_backends() {
  return std::span(kBackends).first(std::size(kBackends) - (has_mpi() ? 0 : kOnMpi));
}

void check_not_absent(std::string_view name) {
  if (has_mpi()) return;
  for (const Backend& backend : std::span(kBackends).last(kOnMpi)) {
    if (backend.name == name) {
      throw UsageError(
          "--communicator {}: this lockstep was built without MPI; use one of gloo, hierarchical",
          name);
    }
  }
}

std::unique_ptr<Communicator> make_communicator(std::string_view name, const Roster& roster,
                                                const CommOptions& options, Store& store) {
  check_not_absent(name);
  std::vector<std::string_view> names;
  for (const Backend& backend : comm_backends()) {
    if (backend.name == name) return backend.make(roster, options, store);
    names.push_back(backend.name);
  }
  throw UsageError("unknown communicator '{}'; use one of {}", name, fmt::join(names, ", "));
}

std::string_view default_backend(const Roster& roster, Network network) {
  const int hosts = static_cast<int>(first_rank_of_each_host(roster).size());
  const bool mpi = network == Network::Mpi;
  if (hosts == 1) return "shm";
  if (hosts == roster.size()) return mpi ? "mpi" : "gloo";
  return mpi ? "hierarchical_mpi" : "hierarchical";
}

}  // namespace lockstep
