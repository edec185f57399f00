// log_line.h: writes one line to stderr where no stream is available.
#pragma once

#include <string_view>

namespace lockstep {

// Writes "lockstep: TEXT" and a line end in one call, so that lines of several processes do not
// mix. Never throws: a stderr that nobody reads loses the line.
void log_line(std::string_view text);

}  // namespace lockstep
