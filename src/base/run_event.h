// run_event.h: what one lockstep process tells another about its end, apart from words for people.
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
    Interrupted,  // all that was measured is written, and the user was told
    Failed,       // `text` is the reason
    DiskFull,     // the same, and further runs would fail alike
  };
  Kind kind = Kind::Failed;
  std::string text = {};

  bool operator==(const RunEvent&) const = default;
};

std::string event_line(const RunEvent& event);                    // without the line end
std::optional<RunEvent> parse_event_line(std::string_view line);  // absent: an ordinary line

// Writes the event to stderr, if whoever started this process listens.
void report_event(Context& context, const RunEvent& event);

}  // namespace lockstep
