#include "base/network_interface.h"

#include <arpa/inet.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/text.h"

namespace lockstep {
namespace {

bool is_link_local(const sockaddr* address) {
  return address->sa_family == AF_INET6 &&
         IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

using AddressBytes = std::vector<unsigned char>;

AddressBytes bytes_of(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(
        &reinterpret_cast<const sockaddr_in*>(address)->sin_addr);
    return {bytes, bytes + 4};
  }
  const auto* bytes = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr.s6_addr;
  return {bytes, bytes + 16};
}

std::optional<AddressBytes> bytes_in(const std::string& text) {
  std::array<unsigned char, 16> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return {{bytes.begin(), &bytes[4]}};
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return {{bytes.begin(), bytes.end()}};
  return {};
}

// Only the first `bits` of an address.
AddressBytes masked(AddressBytes address, int64_t bits) {
  for (size_t i = 0; i < address.size(); ++i) {
    const int64_t kept = std::clamp<int64_t>(bits - 8 * static_cast<int64_t>(i), 0, 8);
    address[i] &= static_cast<unsigned char>(0xFF00 >> kept);
  }
  return address;
}

std::string network_of(const ifaddrs& entry) {
  if (!entry.ifa_netmask) return "";
  int bits = 0;
  for (const unsigned char byte : bytes_of(entry.ifa_netmask)) bits += std::popcount(byte);
  const AddressBytes first = masked(bytes_of(entry.ifa_addr), bits);
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(entry.ifa_addr->sa_family, first.data(), text, sizeof text);
  return fmt::format("{}/{}", text, bits);
}

struct Network {
  AddressBytes first;
  int64_t bits;
};

std::optional<Network> network_in(const std::string& text) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos) return {};
  const auto first = bytes_in(text.substr(0, slash));
  const auto bits = whole_number(text.substr(slash + 1));
  if (!first || !bits || *bits < 0 || *bits > std::ssize(*first) * 8) return {};
  return Network{*first, *bits};
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
                     .network = network_of(*entry),
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

// Not from /sys/class/net, which in a container may be that of the machine around it.
std::optional<int> mbit_per_second(const std::string& interface) {
  ethtool_cmd answer = {};
  answer.cmd = ETHTOOL_GSET;
  ifreq request = {};
  if (interface.empty() || interface.size() >= sizeof request.ifr_name) return {};
  interface.copy(request.ifr_name, interface.size());
  request.ifr_data = reinterpret_cast<char*>(&answer);
  const FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open() || ioctl(socket.number(), SIOCETHTOOL, &request) != 0) return {};
  const auto speed = static_cast<int>(ethtool_cmd_speed(&answer));
  if (speed <= 0) return {};  // SPEED_UNKNOWN is -1
  return speed;
}

std::string address_of_interface(const std::string& name_or_network) {
  std::vector<std::string> shown;
  for (const NetworkInterface& entry : network_interfaces()) {
    if (entry.name == name_or_network || in_network(entry.address, name_or_network)) {
      return entry.address;
    }
    shown.push_back(fmt::format("{} ({})", entry.name, entry.address));
  }
  if (is_network(name_or_network)) {
    throw UsageError("no network interface has an address in {}; there are {}", name_or_network,
                     fmt::join(shown, ", "));
  }
  throw UsageError(
      "unknown network interface '{}', or it has no address; use one of {}, or a network such as "
      "10.0.0.0/24 if names differ between hosts",
      name_or_network, fmt::join(shown, ", "));
}

std::string network_with_host(const std::string& host) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &first) != 0) return "";
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(first, freeaddrinfo);
  const std::vector<NetworkInterface> own = network_interfaces();
  for (const addrinfo* each = first; each; each = each->ai_next) {
    char text[NI_MAXHOST] = "";
    getnameinfo(each->ai_addr, each->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
    for (const NetworkInterface& entry : own) {
      if (entry.for_others && in_network(text, entry.network)) return entry.network;
    }
  }
  return "";
}

bool in_network(const std::string& address, const std::string& network) {
  const auto bytes = bytes_in(address);
  const auto wanted = network_in(network);
  return bytes && wanted && bytes->size() == wanted->first.size() &&
         masked(*bytes, wanted->bits) == masked(wanted->first, wanted->bits);
}

bool is_network(const std::string& text) { return network_in(text).has_value(); }

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

}  // namespace lockstep
