// resume.h: finds the checkpoint that a run resumes from: the newest of --train-dir, the same on
// all workers, whatever the number of workers that wrote it.
#pragma once

#include <iosfwd>
#include <optional>

#include "run/group.h"
#include "run/run_plan.h"
#include "train/checkpoint_files.h"

namespace lockstep {

// Collective: rank 0 reads, all get it. Absent: there is none.
std::optional<FoundCheckpoint> find_checkpoint(const RunConfig& run, Group& group,
                                               std::ostream& notes);

// Shortens the plan to what is left of it. The run ends where it would have ended without
// interruption, and has its own warm-up. Nothing left: no steps are planned. Throws Error when the
// checkpoint is of another network, data set or optimizer.
void resume_from(const FoundCheckpoint& found, RunPlan& plan);
void check_same_network(const FoundCheckpoint& found, const RunPlan& plan);

}  // namespace lockstep
