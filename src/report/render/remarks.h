// remarks.h: notes before and after a run: possible disturbances, and its summary.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/results/run_result.h"

namespace lockstep {

// A note if other processes load the machine; absent: they do not, or it is unknown.
std::optional<std::string> note_on_load(const HostInfo& host);

// For stderr, before the run: reasons to distrust the result; with --verbose also host, network and
// libraries.
std::vector<std::string> remarks_before(const RunResult& started);

// For stdout: throughput with its interval, efficiency, memory. Needs at least one timed step.
std::vector<std::string> summary_lines(const RunResult& result);

// "energy 12.3 J in the timed steps, ...", by phase where that is known; "energy unavailable".
std::string energy_line(const RunResult& result);

// For stderr: what --skip-corrupt skipped, with the first places.
std::vector<std::string> damage_lines(const InputResult& input);

// For stderr, after the run: caveats about its numbers.
std::vector<std::string> remarks_after(const RunResult& result);

}  // namespace lockstep
