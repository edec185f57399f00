// remarks.h: what is said around a run, for people: what may disturb it, and how it went.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/results/run_result.h"

namespace lockstep {

// The machine computes for others too; absent: it does not, or does not say.
std::optional<std::string> note_on_load(const HostInfo& host);

// For stderr, before: reasons to distrust what will be measured; with --verbose, what will run on
// what.
std::vector<std::string> remarks_before(const RunResult& started);

// For stdout: throughput and how well it is known, efficiency, memory. At least one timed step.
std::vector<std::string> summary_lines(const RunResult& result);

// For stderr: what --skip-corrupt did without, and where the first of it is.
std::vector<std::string> damage_lines(const InputResult& input);

// For stderr, after: what to know about these numbers before they are used.
std::vector<std::string> remarks_after(const RunResult& result);

}  // namespace lockstep
