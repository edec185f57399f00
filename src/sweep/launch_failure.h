// launch_failure.h: why a launch failed, in the words that it printed itself. An exit code tells nobody
// what to do.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lockstep {

// What `lockstep train` complained about in its last lines. Of several processes that complain, the
// one that the launcher names as the first; empty: nothing was said.
std::string complaint_in(std::span<const std::string> last_lines);

// Every further launch would run in full and fail as well.
bool is_full_disk(std::string_view error);

}  // namespace lockstep
