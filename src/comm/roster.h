// roster.h: the ranks of a group with their hosts, and this process's own rank.
//
// A group inside a run (the ranks of one host, one leader per host) is a roster of its own, whose
// members keep their rank in the whole run: that is the number that messages name.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"

namespace lockstep {

class Store;

struct Member {
  int run_rank = 0;  // in the whole run
  std::string host;
  std::string name = {};  // as its user calls it: "worker 1"; empty: by its rank
};

struct Roster {
  int rank = 0;  // position of this process in `members`
  std::vector<Member> members;

  int size() const { return static_cast<int>(members.size()); }
  std::string who(int member) const;                       // "rank 3 (node2)"
  std::string who(const std::vector<int>& several) const;  // "rank 3 (node2) and rank 5 (node3)"
  Roster group(const std::vector<int>& ranks) const;  // of some of the members, this one included
};

// Every rank tells its host and learns the others'. Throws Error naming the ranks that did not
// come in time.
Roster meet(Store& store, int rank, int size, const std::string& host, Seconds timeout);

std::vector<int> ranks_on_host(const Roster& roster, const std::string& host);
std::vector<int> first_rank_of_each_host(const Roster& roster);

}  // namespace lockstep
