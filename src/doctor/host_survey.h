// host_survey.h: probes all hosts of a run at once. A thorough survey also measures the links
// between them, one at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "config/json.h"
#include "config/run_config.h"
#include "launch/hosts.h"
#include "launch/tagged_line.h"
#include "process/command.h"

namespace lockstep {

struct LinkReport {
  size_t from = 0, to = 0;
  Json answer;  // answer to the question "pair"
};

// Of an answer with other members or types than this version gives.
inline constexpr const char* kUnreadable = "its answers cannot be read";

struct HostReport {
  std::string name;
  std::string unreachable = {};  // reason; empty: reachable
  std::string advice = {};       // in place of the usual advice
  Json facts = {}, compute = {}, programs = {};
  Json frameworks = {};  // an object for each that was asked for
  Json nccl = {};        // null: not measured
  std::optional<double> clock_offset = {},
                        clock_uncertainty = {};  // seconds, relative to our clock
  int workers = 1;                               // planned for this host
};

struct HostSurvey {
  std::vector<HostReport> hosts;
  std::vector<LinkReport> links;
};

// How hosts are reached: one command per host, or one command (srun) for all.
struct ProbeRoute {
  std::vector<std::string> names;  // host names, as used by the other hosts
  std::vector<Command> commands;   // all listen on stdin
  LineTag tag = LineTag::None;
};

// Which frameworks to look for, and --python. To import one takes seconds.
struct FrameworkQuestion {
  std::vector<std::string> names = {};  // none: do not look
  std::vector<std::string> python = {};
};

// The framework of a run; none where an engine of our own trains. Throws UsageError.
FrameworkQuestion question_of(const RunConfig& run);

struct SurveyOptions {
  std::string directory;  // whose disk is checked
  FrameworkQuestion frameworks = {};
  bool wants_gpus = false;                                   // of the run: one for each worker
  bool thorough = true;                                      // false: no measurements
  std::function<bool()> interrupted = [] { return false; };  // called often
};

// Problems of a host are in its report and do not throw. Throws Interrupted if the user
// interrupts.
HostSurvey survey_hosts(const ProbeRoute& route, const SurveyOptions& options,
                        const std::string& token);

}  // namespace lockstep
