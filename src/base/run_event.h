// run_event.h: what a lockstep process reports to the one that started it, in machine-readable
// form: how it ended, and lines for its log.
//
// Launchers and sweeps set LOCKSTEP_EVENTS for the processes that they start. Those write an event
// as a line of its own to stderr, "@lockstep failed not enough memory", and whoever started them
// takes it out of the output. So messages can be reworded without breaking anything.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/context.h"

namespace lockstep {

inline constexpr const char* kEventsVariable = "LOCKSTEP_EVENTS";

struct RunEvent {
  enum class Kind {
    Interrupted,  // all measurements are written, and the user was informed
    Failed,       // `text` is the reason
    DiskFull,     // the same, and further runs would fail alike
    Log,          // `text` is a line for the log, which the user sees with --verbose only
  };
  Kind kind = Kind::Failed;
  std::string text = {};

  bool is_failure() const { return kind == Kind::Failed || kind == Kind::DiskFull; }
  bool operator==(const RunEvent&) const = default;
};

std::string event_line(const RunEvent& event);                    // without the line end
std::optional<RunEvent> parse_event_line(std::string_view line);  // absent: an ordinary line

// Writes the event to stderr, if the parent process reads events.
void report_event(Context& context, const RunEvent& event);
// A line for the log of this process, which its parent writes. Without such a parent it goes to
// stderr, if the user wants to see everything.
void report_log_line(Context& context, const std::string& line, bool verbose);

}  // namespace lockstep
