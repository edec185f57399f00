// lacking_hosts.h: frameworks that hosts of a sweep do not have. On this machine a survey tells
// before the sweep; on others the first launch does.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "config/run_config.h"
#include "report/results/results_store.h"

namespace lockstep {

class LackingHosts {
 public:
  // Whether this launch failed because a host lacks its framework.
  bool note(const StoredRun& launch);
  // Why a run of this framework on these hosts cannot work; absent: not known.
  std::optional<std::string> reason(const RunConfig& run) const;

 private:
  std::map<std::string, std::string> reasons_;  // by framework and hosts
};

}  // namespace lockstep
