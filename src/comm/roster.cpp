#include "comm/roster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/printable.h"
#include "base/text.h"
#include "comm/store.h"

namespace lockstep {

std::string Roster::who(int member) const {
  const Member& m = members[member];
  const std::string name = m.name.empty() ? fmt::format("rank {}", m.run_rank) : m.name;
  return m.host.empty() ? name : fmt::format("{} ({})", name, m.host);
}

std::string Roster::who(const std::vector<int>& several) const {
  std::vector<std::string> names;
  for (const int member : several) names.push_back(who(member));
  return listed(names);
}

Roster Roster::group(const std::vector<int>& ranks) const {
  Roster group;
  for (const int member : ranks) {
    if (member == rank) group.rank = group.size();
    group.members.push_back(members[member]);
  }
  assert(std::find(ranks.begin(), ranks.end(), rank) != ranks.end());
  return group;
}

Roster meet(Store& store, int rank, int size, const std::string& host, Seconds timeout) {
  store.set(fmt::format("host/{}", rank), host);
  Roster roster{.rank = rank, .members = {}};
  const std::vector<std::string> hosts = store.get(numbered_keys("host/", size), timeout);
  for (int i = 0; i < size; ++i)
    roster.members.push_back({.run_rank = i, .host = printable(hosts[i])});
  return roster;
}

std::vector<int> ranks_on_host(const Roster& roster, const std::string& host) {
  std::vector<int> ranks;
  for (int i = 0; i < roster.size(); ++i) {
    if (roster.members[i].host == host) ranks.push_back(i);
  }
  return ranks;
}

std::vector<int> first_rank_of_each_host(const Roster& roster) {
  std::vector<int> ranks;
  for (int i = 0; i < roster.size(); ++i) {
    if (ranks_on_host(roster, roster.members[i].host).front() == i) ranks.push_back(i);
  }
  return ranks;
}

}  // namespace lockstep
