#include "app/start_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
#include "comm/gather.h"
#include "config/run_json.h"
#include "config/run_options.h"

namespace lockstep {
namespace {

// Each process may have its own: where it is, and what it writes.
constexpr std::array<std::string_view, 9> kOwnOptions = {
    "job-name", "task-index",        "interface",         "verbose", "log-dir",
    "result",   "benchmark-log-dir", "benchmark-test-id", "data-dir"};

bool concerns_all(const RunOption& option) {
  return std::find(kOwnOptions.begin(), kOwnOptions.end(), option.name) == kOwnOptions.end();
}

// Empty: no difference.
std::string difference(const Roster& roster, const Traits& first, int rank, const Traits& other) {
  for (const auto& [name, value] : first) {
    const auto found = other.find(name);
    const std::string theirs = found == other.end() ? "unknown" : found->second;
    if (theirs == value) continue;
    return fmt::format("{} differs: '{}' on {}, '{}' on {}", name, value, roster.who(0), theirs,
                       roster.who(rank));
  }
  return "";
}

}  // namespace

Traits traits_of(const RunConfig& run, const std::string& version, uint64_t layout) {
  Traits traits = {{"the version of lockstep", version},
                   {"the engine's layout of values", fmt::format("{:016x}", layout)}};
  for (const RunOption& option : run_options()) {
    if (concerns_all(option)) traits["--" + option.name] = text_of(run, option);
  }
  return traits;
}

void check_all_alike(Communicator& control, const Roster& roster, const Traits& mine) {
  if (control.size() == 1) return;
  const auto texts = gather(control, Json(mine).dump(), 0);
  std::string verdict;
  for (int rank = 1; rank < static_cast<int>(texts.size()) && verdict.empty(); ++rank) {
    const Traits theirs = Json::parse(texts[static_cast<size_t>(rank)]).get<Traits>();
    verdict = difference(roster, mine, rank, theirs);
  }
  verdict = broadcast_text(control, verdict, 0);
  if (!verdict.empty()) throw Error("the workers do not agree: {}", verdict);
}

}  // namespace lockstep
