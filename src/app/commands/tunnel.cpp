#include "app/commands/tunnel.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <fstream>

#include "base/host_name.h"
#include "base/text.h"
#include "web/reachable_address.h"

namespace lockstep {
namespace {

constexpr const char* kPublicName = "HOST";

std::string user_name(const Context& context) {
  for (const char* variable : {"USER", "LOGNAME"}) {
    const std::string name = context.environment(variable).value_or("");
    if (!name.empty()) return name;
  }
  const passwd* entry = getpwuid(geteuid());
  return entry ? entry->pw_name : "USER";
}

// Virtual machines of EC2 say so; their own names and addresses are private.
bool is_ec2(const std::filesystem::path& root) {
  std::string vendor, uuid;
  std::ifstream nitro(root / "sys/class/dmi/id/sys_vendor"), xen(root / "sys/hypervisor/uuid");
  std::getline(nitro, vendor);
  std::getline(xen, uuid);
  return vendor == "Amazon EC2" || lower_case(uuid).starts_with("ec2");
}

// The address at which the ssh of this session reached this machine.
std::string address_of_session(const Context& context) {
  const auto words = split(context.environment("SSH_CONNECTION").value_or(""), ' ');
  return words.size() == 4 ? words[2] : reachable_address("0.0.0.0");
}

}  // namespace

TunnelRoute route_to_here(const Context& context, const std::filesystem::path& root) {
  TunnelRoute route = {.user = user_name(context), .host = host_name(), .is_cloud = is_ec2(root)};
  const std::string submitted_from = context.environment("SLURM_SUBMIT_HOST").value_or("");
  const bool in_job = context.environment("SLURM_JOB_ID").has_value();
  if (in_job && !submitted_from.empty() && submitted_from != route.host) {
    route.login = route.is_cloud ? kPublicName : submitted_from;
  } else {
    route.host = route.is_cloud ? kPublicName : address_of_session(context);
  }
  return route;
}

std::string tunnel_command(const TunnelRoute& route, int port) {
  const std::string jump =
      route.login.empty() ? "" : fmt::format("-J {}@{} ", route.user, route.login);
  return fmt::format("ssh -N -L {0}:127.0.0.1:{0} {1}{2}@{3}", port, jump, route.user, route.host);
}

}  // namespace lockstep
