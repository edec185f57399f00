#include "comm/own_address.h"

#include <netdb.h>
#include <sys/socket.h>

#include <memory>

#include "base/error.h"
#include "base/network_interface.h"
#include "comm/socket.h"

namespace lockstep {

// Connecting a datagram socket sends nothing, but the system decides which way it would go.
std::string way_to(const std::string& host) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* first = nullptr;
  if (getaddrinfo(host.c_str(), "9", &hints, &first) != 0) return "";
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(first, freeaddrinfo);
  for (const addrinfo* each = first; each; each = each->ai_next) {
    const Descriptor socket(::socket(each->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket || connect(socket.number(), each->ai_addr, each->ai_addrlen) != 0) continue;
    return local_address(socket);
  }
  return "";
}

std::string own_address(const Roster& roster, const std::string& interface) {
  if (!interface.empty()) return address_of_interface(interface);
  const std::string& own = roster.members[static_cast<size_t>(roster.rank)].host;
  bool alone = true;
  for (const Member& member : roster.members) {
    if (member.host == own) continue;
    alone = false;
    const std::string address = way_to(member.host);
    if (!address.empty() && !is_loopback(address)) return address;
  }
  if (alone) return "127.0.0.1";
  throw Error("cannot infer which network connects {} to the other hosts; use --interface", own);
}

}  // namespace lockstep
