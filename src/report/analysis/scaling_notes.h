// scaling_notes.h: the notes below a scaling table: what the runs share, what makes them hard to
// compare, and what their efficiencies are relative to.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/analysis/scaling.h"

namespace lockstep {

std::vector<std::string> notes_on(const ScalingReport& report, std::span<const StoredRun> runs);
std::vector<std::string> notes_on_bases(const ScalingReport& report);

// Absent unless threads per device differ between the points of a series, such as all cores on one
// device against half of them on each of two.
std::optional<std::string> note_on_threads(const ScalingReport& report);

// "a, b, c and 4 more"
std::string few_of(std::vector<std::string> labels);

}  // namespace lockstep
