#include "base/network_interface.h"

#include <arpa/inet.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>

#include <memory>
#include <vector>

#include "base/error.h"

namespace lockstep {
namespace {

bool is_link_local(const sockaddr* address) {
  return address->sa_family == AF_INET6 &&
         IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

bool is_for_others(const ifaddrs& entry) {
  const bool up = (entry.ifa_flags & IFF_UP) != 0, loopback = (entry.ifa_flags & IFF_LOOPBACK) != 0;
  return up && !loopback && !is_link_local(entry.ifa_addr);
}

std::vector<NetworkInterface> interfaces(int family, socklen_t length) {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) throw Error("cannot list the network interfaces");
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(first, freeifaddrs);
  std::vector<NetworkInterface> found;
  for (const ifaddrs* entry = first; entry; entry = entry->ifa_next) {
    if (!entry->ifa_addr || entry->ifa_addr->sa_family != family) continue;
    char text[NI_MAXHOST] = "";
    getnameinfo(entry->ifa_addr, length, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
    found.push_back({.name = entry->ifa_name,
                     .address = text,
                     .ipv6 = family == AF_INET6,
                     .for_others = is_for_others(*entry)});
  }
  return found;
}

}  // namespace

std::vector<NetworkInterface> network_interfaces() {
  std::vector<NetworkInterface> all = interfaces(AF_INET, sizeof(sockaddr_in));
  for (NetworkInterface& entry : interfaces(AF_INET6, sizeof(sockaddr_in6))) all.push_back(entry);
  return all;
}

std::string interface_with(const std::string& address) {
  for (const NetworkInterface& entry : network_interfaces()) {
    if (entry.address == address) return entry.name;
  }
  return "";
}

std::string address_of_interface(const std::string& name) {
  std::vector<std::string> shown;
  for (const NetworkInterface& entry : network_interfaces()) {
    if (entry.name == name) return entry.address;
    shown.push_back(fmt::format("{} ({})", entry.name, entry.address));
  }
  throw UsageError("unknown network interface '{}', or it has no address; use one of {}", name,
                   fmt::join(shown, ", "));
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

}  // namespace lockstep
