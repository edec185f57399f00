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

#include "base/context.h"
#include "config/run_config.h"
#include "launch/launch_plan.h"
#include "process/output_log.h"

namespace lockstep {

class Audience {
 public:
  // --log-dir of the run keeps what is heard, a file per rank; empty: nothing is kept.
  // `processes` are borrowed, and outlive this.
  Audience(Context& context, std::span<const PlannedProcess> processes, const RunConfig& run);

  void hear(int rank, const std::string& text, bool from_stderr);
  // From the program that starts the processes, or from the line to a host. Without --verbose shown
  // only when it explains a failure.
  void hear_starter(const std::string& name, const std::string& text);
  // The same, of which somebody else takes care that it is seen: it is only kept.
  void keep(const std::string& name, const std::string& text);

  // What has not been shown and may be the reason: the starter's words, and the complaints of other
  // ranks.
  void explain();

  // The run was interrupted: says so, unless rank 0 has. One that had not begun yet has no words.
  void tell_of_interruption();
  // Since it was said. Of rank 0 these are the last words: it has written everything.
  std::optional<Seconds> since_interruption() const;

 private:
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
  std::deque<std::string> unshown_;  // the last of them
};

}  // namespace lockstep
