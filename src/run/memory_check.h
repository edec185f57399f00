// memory_check.h: checks that a run fits into memory before it allocates.
#pragma once

#include <memory>

#include "run/run_plan.h"

namespace lockstep {

// Throws Error when the batch is so far too large that even planning for it would take long.
void refuse_hopeless_batch(const RunPlan& plan, int64_t available_bytes);

// The plan's engine. Throws Error, with the largest batch that fits, when the whole run would need
// more memory than there is.
std::unique_ptr<Engine> make_fitting_engine(const RunPlan& plan, int64_t available_bytes);

// What a run with that batch allocates: by the engine, and besides (values, gradients, optimizer,
// images).
int64_t needed_bytes(const RunPlan& plan, int batch);

// The largest batch, up to the planned one, that needs no more; 0 when none does.
int largest_fitting_batch(const RunPlan& plan, int64_t available_bytes);

// The planned batch, halved until it needs no more; 0 when not even 1 does.
int halved_fitting_batch(const RunPlan& plan, int64_t available_bytes);

}  // namespace lockstep
