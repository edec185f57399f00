#include "comm/mpi_interfaces.h"

#include <algorithm>

#include "base/text.h"

namespace lockstep {

std::vector<std::string> addresses_in_uri(const std::string& uri) {
  constexpr std::string_view kScheme = "tcp://";
  const size_t scheme = uri.find(kScheme);
  if (scheme == std::string::npos) return {};
  const size_t begin = scheme + kScheme.size();
  const std::string list = uri.substr(begin, uri.find(':', begin) - begin);
  return list.empty() ? std::vector<std::string>{} : split(list, ',');
}

std::vector<std::string> misleading_interfaces(std::span<const NetworkInterface> own,
                                               const std::vector<std::string>& mpirun_addresses) {
  std::vector<std::string> names;
  bool elsewhere = false;
  for (const NetworkInterface& each : own) {
    if (!each.for_others || each.ipv6) continue;
    if (std::ranges::count(mpirun_addresses, each.address) == 0) {
      elsewhere = true;
    } else if (std::ranges::count(names, each.name) == 0) {
      names.push_back(each.name);
    }
  }
  return elsewhere ? names : std::vector<std::string>{};
}

std::string excluded_interfaces(const std::vector<std::string>& names) {
  std::string list = "127.0.0.1/8,sppp";
  for (const std::string& name : names) list += "," + name;
  return list;
}

}  // namespace lockstep
