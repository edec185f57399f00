#include "comm/own_address.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/network_interface.h"
#include "base/text.h"
#include "comm/socket.h"

namespace lockstep {
namespace {

struct OwnNetwork {
  std::string address, network;
};

std::vector<OwnNetwork> networks_in(const std::string& text) {
  std::vector<OwnNetwork> found;
  for (const std::string& entry : split(text, ',')) {
    const size_t space = entry.find(' ');
    if (space != std::string::npos)
      found.push_back({entry.substr(0, space), entry.substr(space + 1)});
  }
  return found;
}

// Whether a member of another host is in this network, with an address of its own.
bool is_there_too(const OwnNetwork& mine, const std::string& theirs) {
  const std::vector<OwnNetwork> all = networks_in(theirs);
  return std::ranges::any_of(all, [&](const OwnNetwork& each) {
    return each.network == mine.network && each.address != mine.address;
  });
}

}  // namespace

std::string own_networks() {
  std::string text;
  for (const NetworkInterface& each : network_interfaces()) {
    if (!each.for_others || each.network.empty()) continue;
    text += (text.empty() ? "" : ",") + each.address + " " + each.network;
  }
  return text;
}

std::string address_in_common_network(const Roster& roster,
                                      const std::vector<std::string>& networks_of_members) {
  const auto own = static_cast<size_t>(roster.rank);
  for (const OwnNetwork& mine : networks_in(networks_of_members[own])) {
    bool common = true;
    for (size_t other = 0; other < roster.members.size() && common; ++other) {
      common = roster.members[other].host == roster.members[own].host ||
               is_there_too(mine, networks_of_members[other]);
    }
    if (common) return mine.address;
  }
  return "";
}

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

std::string own_address(const Roster& roster, const std::string& interface,
                        const std::vector<std::string>& networks_of_members) {
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
  const std::string address = address_in_common_network(roster, networks_of_members);
  if (!address.empty()) return address;
  throw Error(
      "cannot infer which network connects {} to the other hosts: their names are unknown here, "
      "and "
      "they share no network; use --interface with a name or a network such as 10.0.0.0/24",
      own);
}

}  // namespace lockstep
