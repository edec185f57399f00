// tunnel.h: the ssh command that forwards a port of this machine to a workstation.
#pragma once

#include <filesystem>
#include <string>

#include "base/context.h"

namespace lockstep {

struct TunnelRoute {
  std::string user;
  std::string host;        // this machine, as the workstation or the login node knows it
  std::string login = {};  // login node in front of it; empty: none
  bool is_cloud = false;   // the outer name stands for a public name that is not known here

  bool operator==(const TunnelRoute&) const = default;
};

// From the variables of ssh and Slurm. `root` is where sys is found; tests give their own.
TunnelRoute route_to_here(const Context& context, const std::filesystem::path& root = "/");

// "ssh -N -L 8888:127.0.0.1:8888 me@host"
std::string tunnel_command(const TunnelRoute& route, int port);

}  // namespace lockstep
