#include "app/slurm_place.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

constexpr int kFirstPort = 20000, kPorts = 12000;  // below those that systems hand out

int64_t number_in(const Environment& environment, const char* name, int64_t otherwise) {
  return whole_number(environment(name).value_or("")).value_or(otherwise);
}

}  // namespace

std::string first_host(const std::string& node_list) {
  const size_t bracket = node_list.find('['), comma = node_list.find(',');
  if (comma < bracket || bracket == std::string::npos) return node_list.substr(0, comma);
  const size_t end = node_list.find_first_of(",-]", bracket);
  return node_list.substr(0, bracket) + node_list.substr(bracket + 1, end - bracket - 1);
}

std::optional<Place> place_by_slurm(const RunConfig&, const Environment& environment) {
  // A batch script has a task number too, but only steps have a number of tasks.
  const auto tasks = environment("SLURM_STEP_NUM_TASKS");
  if (!tasks || !environment("SLURM_PROCID")) return {};
  const int size = static_cast<int>(number_in(environment, "SLURM_STEP_NUM_TASKS", 1));
  if (size == 1) return {};
  Place place = {.meeting = Meeting::OwnStore,
                 .rank = static_cast<int>(number_in(environment, "SLURM_PROCID", 0)),
                 .size = size};
  if (environment("PMIX_RANK")) {
    place.meeting = Meeting::Mpi;
    return place;
  }
  const std::string nodes = environment("SLURM_STEP_NODELIST").value_or("");
  if (nodes.empty()) throw Error("Slurm does not say which nodes run this (SLURM_STEP_NODELIST)");
  const int64_t job = number_in(environment, "SLURM_JOB_ID", 0);
  const int64_t step = number_in(environment, "SLURM_STEP_ID", 0);
  place.store = {.host = first_host(nodes),
                 .port = kFirstPort + static_cast<int>((job * 31 + step) % kPorts)};
  // Without a secret in the environment this keeps runs apart, though not strangers out.
  place.token = environment(kTokenVariable)
                    .value_or(fmt::format("Slurm job {} step {} of user {}", job, step,
                                          environment("USER").value_or("unknown")));
  return place;
}

}  // namespace lockstep
