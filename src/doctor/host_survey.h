// host_survey.h: asks all hosts of a run about themselves, at once, and for a thorough examination
// also about the ways between them, one at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "config/json.h"
#include "launch/hosts.h"
#include "launch/tagged_line.h"
#include "process/command.h"

namespace lockstep {

struct LinkReport {
  size_t from = 0, to = 0;
  Json answer;  // as of the question "pair"
};

struct HostReport {
  std::string name;
  std::string unreachable = {};  // why; empty: it was reached
  std::string advice = {};       // about that, where the usual one does not suit
  Json facts = {}, compute = {}, programs = {};
  std::optional<double> clock_offset = {}, clock_uncertainty = {};  // in seconds, to ours
  int workers = 1;                                                  // that it shall have
};

struct HostSurvey {
  std::vector<HostReport> hosts;
  std::vector<LinkReport> links;
};

// How the hosts are reached: one command for each, or one for all, which passes on their lines.
struct ProbeRoute {
  std::vector<std::string> names;  // of the hosts, as the others call them
  std::vector<Command> commands;   // each listens
  LineTag tag = LineTag::None;
};

struct SurveyOptions {
  std::string directory;  // whose disk counts
  bool thorough = true;   // else only what is known without measuring
  std::function<bool()> interrupted = [] { return false; };  // asked often
};

// Never throws for what a host does wrong: that is in its report. Throws Interrupted when the user
// wants no more.
HostSurvey survey_hosts(const ProbeRoute& route, const SurveyOptions& options,
                        const std::string& token);

}  // namespace lockstep
