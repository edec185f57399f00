// op_report.h: reports an engine's operations and their times.
#pragma once

#include "engine/engine.h"
#include "report/results/chrome_trace.h"
#include "report/results/run_result.h"
#include "train/op_recorder.h"

namespace lockstep {

// `totals`: sums over several steps; may be null.
std::vector<OpResult> op_results(const Engine& engine, const OpTotals* totals, size_t steps);

// On this process's clock. `timeline` may be null.
std::vector<TraceEvent> layer_events(const Engine& engine, const OpTimeline* timeline);

// Of one step.
std::vector<TraceEvent> transfer_events(std::span<const Transfer> transfers,
                                        std::span<const TransferRecord> times, TimePoint start);

}  // namespace lockstep
