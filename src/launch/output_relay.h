// output_relay.h: shows and logs the output of the processes of a run.
//
// Only rank 0's output is shown. With --verbose the other ranks are shown too, each line with host
// and rank. Without it they are shown only if the run fails. Lines that a rank marks as meant for
// its log (base/run_event.h) are logged, and shown as they are with --verbose.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/context.h"
#include "base/run_event.h"
#include "config/run_config.h"
#include "launch/launch_plan.h"
#include "process/output_log.h"

namespace lockstep {

class OutputRelay {
 public:
  // Logs go to --log-dir of the run, one file per rank; empty: no logs.
  // `processes` is borrowed and outlives this object.
  OutputRelay(Context& context, std::span<const PlannedProcess> processes, const RunConfig& run);

  void hear(int rank, const std::string& text, bool from_stderr);
  // A line of the program that starts the processes, or of ssh. Without --verbose it is shown only
  // to explain a failure.
  void hear_starter(const std::string& name, const std::string& text);
  // Only logs the line: the caller shows it.
  void keep(const std::string& name, const std::string& text);

  // Shows lines that may explain a failure and were not shown yet: from the starting program, and
  // from stderr of other ranks.
  void explain();

  // Reports the failure of the run as an event: with the reason of `rank` (the first that failed,
  // if known), else with `why`.
  void report_failure(std::optional<int> rank, const std::string& why);

  // Time since the first rank reported a failure.
  std::optional<Seconds> since_failure() const;
  // Of that rank; empty: none has.
  std::string first_failure() const;

  // Prints that the run was interrupted, unless rank 0 did. Rank 0 may not have started yet.
  void tell_of_interruption();
  // Time since that message. It is the last one of rank 0: its results are written.
  std::optional<Seconds> since_interruption() const;

 private:
  void take(int rank, const RunEvent& event);
  void log(int rank, const std::string& text);
  std::string who(int rank) const;  // "host1 rank 2"
  void remember(const std::string& name, const std::string& text);
  void write(OutputLog& log, const std::string& text);
  void note_trouble(const std::string& trouble);

  Context& context_;
  std::span<const PlannedProcess> processes_;
  bool verbose_;
  std::string log_dir_;
  std::map<int, OutputLog> logs_;
  std::optional<OutputLog> starter_log_;
  bool told_of_trouble_ = false;
  std::optional<TimePoint> told_of_interruption_;
  std::optional<TimePoint> failed_at_;
  std::vector<std::pair<int, RunEvent>> failures_;  // rank and event, in order of arrival
  std::deque<std::string> unshown_;                 // the last kMostUnshown lines
};

// Whether stdout and stderr accept output. A write to a held terminal (Ctrl-S) or an idle pager
// would block, and agents that hear nothing from their launcher would end.
bool output_is_read();

}  // namespace lockstep
