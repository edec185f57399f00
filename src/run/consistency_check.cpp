#include "run/consistency_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
#include "base/fnv1a.h"
#include "config/json.h"
#include "config/json_text.h"
#include "config/run_json.h"
#include "config/run_options.h"
#include "run/peer_text.h"

namespace lockstep {
namespace {

// Each process may have its own: where it is, and what it writes.
constexpr std::array<std::string_view, 9> kOwnOptions = {
    "job-name", "task-index",        "interface",         "verbose", "log-dir",
    "result",   "benchmark-log-dir", "benchmark-test-id", "data-dir"};

bool concerns_all(const RunOption& option) {
  return std::find(kOwnOptions.begin(), kOwnOptions.end(), option.name) == kOwnOptions.end();
}

std::string difference(const Roster& roster, const Traits& first, int rank, const Traits& other) {
  for (const auto& [name, value] : first) {
    const auto found = other.find(name);
    const std::string theirs = found == other.end() ? "unknown" : found->second;
    if (theirs == value) continue;
    return fmt::format("{} differs: '{}' on {}, '{}' on {}", name, value, roster.who(0), theirs,
                       roster.who(rank));
  }
  return "an unknown difference";
}

// Short, so that many ranks can look at each other's.
std::string digest(const std::string& text) { return fmt::format("{:016x}", fnv1a(text)); }

}  // namespace

Traits traits_of(const RunConfig& run, const std::string& version) {
  Traits traits = {{"the version of lockstep", version}};
  for (const RunOption& option : run_options()) {
    if (concerns_all(option)) traits["--" + option.name] = text_of(run, option);
  }
  return traits;
}

void check_consistency(Store& store, const Roster& roster, const std::string& subject,
                       const Traits& mine, Seconds timeout) {
  const std::string text = json_text(mine);
  const std::string prefix = "alike/" + subject + "/", whole = "traits/" + subject + "/";
  store.set(fmt::format("{}{}", whole, roster.rank), text);
  store.set(fmt::format("{}{}", prefix, roster.rank), digest(text));
  const auto digests = store.get(numbered_keys(prefix, roster.size()), timeout);
  for (int rank = 1; rank < roster.size(); ++rank) {
    if (digests[static_cast<size_t>(rank)] == digests.front()) continue;
    const auto texts = store.get({whole + "0", fmt::format("{}{}", whole, rank)}, timeout);
    const auto traits_in = [&](int from, const std::string& said) {
      return read_from_peer(from, "its options", said,
                            [](const Json& json) { return json.get<Traits>(); });
    };
    throw Error("the ranks do not agree: {}",
                difference(roster, traits_in(0, texts[0]), rank, traits_in(rank, texts[1])));
  }
}

}  // namespace lockstep
