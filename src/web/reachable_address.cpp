#include "web/reachable_address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <unistd.h>

#include <array>
#include <memory>

namespace lockstep {
namespace {

// Empty: it is of another family, or means something else elsewhere.
std::string text_of(const ifaddrs& one, int family) {
  const bool fits = one.ifa_addr && one.ifa_addr->sa_family == family &&
                    (one.ifa_flags & IFF_UP) != 0 && (one.ifa_flags & IFF_LOOPBACK) == 0;
  if (!fits) return "";
  std::array<char, INET6_ADDRSTRLEN> text = {};
  if (family == AF_INET) {
    const auto* address = reinterpret_cast<const sockaddr_in*>(one.ifa_addr);
    inet_ntop(family, &address->sin_addr, text.data(), text.size());
    return text.data();
  }
  const auto* address = reinterpret_cast<const sockaddr_in6*>(one.ifa_addr);
  if (IN6_IS_ADDR_LINKLOCAL(&address->sin6_addr)) return "";
  inet_ntop(family, &address->sin6_addr, text.data(), text.size());
  return text.data();
}

std::string machine_name() {
  std::array<char, 256> name = {};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

}  // namespace

std::string reachable_address(const std::string& listening_on) {
  const bool all_4 = listening_on == "0.0.0.0",
             all_6 = listening_on == "::" || listening_on == "[::]";
  if (!all_4 && !all_6) return listening_on;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return machine_name();
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> all(first, freeifaddrs);
  for (const ifaddrs* one = all.get(); one; one = one->ifa_next) {
    const std::string text = text_of(*one, all_4 ? AF_INET : AF_INET6);
    if (!text.empty()) return text;
  }
  return machine_name();
}

}  // namespace lockstep
