#include "comm/missing_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "comm/store.h"

namespace lockstep {
namespace {

constexpr Seconds kRound{0.1};

std::string reason_key(const std::string& name) { return name + "/reason"; }

std::vector<int> absent(Store& store, const std::vector<std::string>& keys, Seconds timeout) {
  const std::vector<std::string> missing = store.missing(keys, timeout);
  std::vector<int> ranks;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (std::find(missing.begin(), missing.end(), keys[i]) != missing.end()) {
      ranks.push_back(static_cast<int>(i));
    }
  }
  return ranks;
}

// Those of `ranks` that the store lost.
std::vector<int> lost_among(Store& store, const Roster& roster, const std::vector<int>& ranks) {
  const std::vector<int> gone = gone_ranks(store, roster);
  std::vector<int> lost;
  std::set_intersection(gone.begin(), gone.end(), ranks.begin(), ranks.end(),
                        std::back_inserter(lost));
  return lost;
}

std::string call_names(Store& store, const Roster& roster, const std::string& name,
                       Seconds silent) {
  store.set(fmt::format("{}/failed/{}", name, roster.rank), "");
  const auto answers = numbered_keys(name + "/failed/", roster.size());
  const TimePoint start = Clock::now();
  for (;;) {
    const std::vector<int> missing = absent(store, answers, kRound);
    if (store.missing({reason_key(name)}, Seconds{0}).empty()) {
      return store.get(reason_key(name), Seconds{0});
    }
    if (missing.empty()) return "every rank still answers";
    const std::vector<int> lost = lost_among(store, roster, missing);
    if (!lost.empty()) {
      return fmt::format("{} {} gone", roster.who(lost), lost.size() == 1 ? "is" : "are");
    }
    if (seconds_since(start) < silent) continue;
    return fmt::format("{} {} not answer", roster.who(missing),
                       missing.size() == 1 ? "does" : "do");
  }
}

}  // namespace

std::vector<int> gone_ranks(Store& store, const Roster& roster) {
  std::vector<std::string> keys;
  for (const Member& member : roster.members) {
    keys.push_back(fmt::format("gone/{}", member.run_rank));
  }
  const std::vector<int> there = absent(store, keys, Seconds{0});
  std::vector<int> gone;
  for (int rank = 0; rank < roster.size(); ++rank) {
    if (!std::binary_search(there.begin(), there.end(), rank)) gone.push_back(rank);
  }
  return gone;
}

void tell_reason(Store& store, const std::string& name, const std::string& reason) {
  store.set(reason_key(name), reason);
}

std::string missing_ranks(Store& store, const Roster& roster, const std::string& name,
                          Seconds silent) {
  try {
    store.set_answer_timeout(silent);
    return call_names(store, roster, name, silent);
  } catch (const Error& error) {  // its host is gone, or this one's link to it
    return fmt::format("{} cannot reach the other ranks: {}", roster.who(roster.rank),
                       error.what());
  }
}

}  // namespace lockstep
