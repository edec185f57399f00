#include "sweep/lacking_hosts.h"

#include <fmt/format.h>

#include "framework/python.h"

namespace lockstep {
namespace {

std::string key_of(const RunConfig& run) {
  return fmt::format("{}\n{}\n{}", find_framework(run).framework->name, run.hosts, run.launcher);
}

}  // namespace

bool LackingHosts::note(const StoredRun& launch) {
  const RunConfig& run = launch.result.config;
  const std::string error = launch.result.error.value_or("");
  if (launch.measured() || !has_framework(run)) return false;
  if (!says_not_installed(*find_framework(run).framework, error)) return false;
  reasons_.emplace(key_of(run), error);
  return true;
}

std::optional<std::string> LackingHosts::reason(const RunConfig& run) const {
  if (reasons_.empty() || !has_framework(run)) return {};
  const auto found = reasons_.find(key_of(run));
  return found == reasons_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace lockstep
