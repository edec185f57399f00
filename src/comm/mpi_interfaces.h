// mpi_interfaces.h: keeps Open MPI off network interfaces that lead to no other host.
//
// Open MPI tries to reach a rank at all its addresses. An address that several hosts have (the
// bridge of containers, a NAT of virtual machines) leads back to the own host, and the ranks wait
// for each other forever.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/network_interface.h"

namespace lockstep {

// Of mpirun's host, as Open MPI tells its ranks: "1234.0;tcp://10.77.0.1,172.17.0.1:46315".
std::vector<std::string> addresses_in_uri(const std::string& uri);

// The names of those of our interfaces whose address mpirun's host has too. None on that host
// itself, where all of them are.
std::vector<std::string> misleading_interfaces(std::span<const NetworkInterface> own,
                                               const std::vector<std::string>& mpirun_addresses);

// The value of Open MPI's btl_tcp_if_exclude: these, and its own default.
std::string excluded_interfaces(const std::vector<std::string>& names);

}  // namespace lockstep
