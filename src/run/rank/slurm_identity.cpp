#include "run/rank/slurm_identity.h"

#include <fmt/format.h>
#include <netdb.h>

#include "base/error.h"
#include "base/text.h"
#include "process/run_commands.h"

namespace lockstep {
namespace {

constexpr int64_t kLargestId = UINT32_MAX;  // of a job
constexpr Seconds kPatience{30};
constexpr int kFirstPort = 20000, kPorts = 12000;  // below those that systems hand out

int64_t number_in(const Environment& environment, const char* name, int64_t otherwise) {
  const auto number = whole_number(environment(name).value_or(""));
  return number && *number >= 0 && *number <= kLargestId ? *number : otherwise;
}

bool is_known_host(const std::string& name) {
  addrinfo* found = nullptr;
  const bool known = getaddrinfo(name.c_str(), nullptr, nullptr, &found) == 0;
  if (known) freeaddrinfo(found);
  return known;
}

// Nodes may have addresses that only Slurm knows. When it cannot be asked, the name has to do.
std::string address_of(const std::string& node) {
  if (is_known_host(node)) return node;
  std::string text;
  const Command ask = {.name = "scontrol", .argv = {"scontrol", "show", "node", node}};
  run_commands(std::span(&ask, 1), {.time = kPatience}, {.line = [&](const OutputLine& line) {
                 text += line.text + "\n";
                 return Next::Continue;
               }});
  const std::string address = node_address(text);
  return address.empty() ? node : address;
}

}  // namespace

std::string node_address(const std::string& scontrol_text) {
  constexpr std::string_view kKey = "NodeAddr=";
  const size_t key = scontrol_text.find(kKey);
  if (key == std::string::npos) return "";
  const size_t begin = key + kKey.size();
  return scontrol_text.substr(begin, scontrol_text.find_first_of(" \n", begin) - begin);
}

std::string first_host(const std::string& node_list) {
  std::string host;
  for (size_t at = 0; at < node_list.size() && node_list[at] != ',';) {
    if (node_list[at] != '[') {
      host += node_list[at++];
      continue;
    }
    const size_t end = node_list.find_first_of(",-]", at);
    host += node_list.substr(at + 1, end - at - 1);
    at = std::min(node_list.find(']', at), node_list.size() - 1) + 1;
  }
  return host;
}

std::optional<RankIdentity> identity_by_slurm(const RunConfig&, const Environment& environment) {
  // A batch script has a task number too, but only steps have a number of tasks.
  const auto tasks = environment("SLURM_STEP_NUM_TASKS");
  if (!tasks || !environment("SLURM_PROCID")) return {};
  const int size = static_cast<int>(number_in(environment, "SLURM_STEP_NUM_TASKS", 1));
  if (size == 1) return {};
  RankIdentity identity = {.rendezvous = Rendezvous::OwnStore,
                           .rank = static_cast<int>(number_in(environment, "SLURM_PROCID", 0)),
                           .size = size};
  if (environment("PMIX_RANK")) {
    identity.rendezvous = Rendezvous::Mpi;
    return identity;
  }
  const std::string nodes = environment("SLURM_STEP_NODELIST").value_or("");
  if (nodes.empty())
    throw Error("Slurm does not name the nodes of this step; SLURM_STEP_NODELIST is empty");
  const int64_t job = number_in(environment, "SLURM_JOB_ID", 0);
  const int64_t step = number_in(environment, "SLURM_STEP_ID", 0);
  identity.store = {.host = address_of(first_host(nodes)),
                    .port = kFirstPort + static_cast<int>((job * 31 + step) % kPorts)};
  // Without a secret in the environment this keeps runs apart, though not strangers out.
  identity.token = environment(kTokenVariable)
                       .value_or(fmt::format("Slurm job {} step {} of user {}", job, step,
                                             environment("USER").value_or("unknown")));
  identity.token_can_be_guessed = !environment(kTokenVariable);
  return identity;
}

}  // namespace lockstep
