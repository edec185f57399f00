// run_event.h: how a lockstep process reports its end to another one, in machine-readable form.
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
  };
  Kind kind = Kind::Failed;
  std::string text = {};

  bool operator==(const RunEvent&) const = default;
};

std::string event_line(const RunEvent& event);                    // without the line end
std::optional<RunEvent> parse_event_line(std::string_view line);  // absent: an ordinary line

// Writes the event to stderr, if the parent process reads events.
void report_event(Context& context, const RunEvent& event);

}  // namespace lockstep
