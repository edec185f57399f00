// output_relay.h: what is shown, and kept, of what the processes of a run say.
//
// Rank 0 speaks for the run. The others are heard with --verbose, host and rank before each line,
// and when the run has failed.
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
  // --log-dir of the run keeps what is heard, a file per rank; empty: nothing is kept.
  // `processes` are borrowed, and outlive this.
  OutputRelay(Context& context, std::span<const PlannedProcess> processes, const RunConfig& run);

  void hear(int rank, const std::string& text, bool from_stderr);
  // From the program that starts the processes, or from the line to a host. Without --verbose shown
  // only when it explains a failure.
  void hear_starter(const std::string& name, const std::string& text);
  // The same, of which somebody else takes care that it is seen: it is only kept.
  void keep(const std::string& name, const std::string& text);

  // What has not been shown and may be the reason: the starter's words, and the complaints of other
  // ranks.
  void explain();

  // The run failed, by the rank that did so first, if it is known: tells whoever started this
  // process the reason, in that rank's words, else in those of `why`.
  void report_failure(std::optional<int> rank, const std::string& why);

  // The run was interrupted: says so, unless rank 0 has. One that had not begun yet has no words.
  void tell_of_interruption();
  // Since it was said. Of rank 0 these are the last words: it has written everything.
  std::optional<Seconds> since_interruption() const;

 private:
  void take(int rank, const RunEvent& event);
  std::string who(int rank) const;  // "host1 rank 2"
  void remember(const std::string& name, const std::string& text);
  void write(OutputLog& log, const std::string& text);

  Context& context_;
  std::span<const PlannedProcess> processes_;
  bool verbose_;
  std::string log_dir_;
  std::map<int, OutputLog> logs_;
  std::optional<OutputLog> starter_log_;
  bool told_of_trouble_ = false;
  std::optional<TimePoint> told_of_interruption_;
  std::vector<std::pair<int, RunEvent>> failures_;  // by rank, in the order they came
  std::deque<std::string> unshown_;                 // the last of them
};

}  // namespace lockstep
