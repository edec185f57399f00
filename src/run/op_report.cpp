#include "run/op_report.h"

#include "base/text.h"

namespace lockstep {

std::vector<OpResult> op_results(const Engine& engine, const OpTotals* totals, size_t steps) {
  std::vector<OpResult> results;
  for (size_t i = 0; const OpInfo& op : engine.ops()) {
    results.push_back({.layer = op.layer,
                       .what = op.what,
                       .kernel = op.kernel,
                       .output = op.output.text(),
                       .forward_macs = op.forward_macs,
                       .forward_seconds = {},
                       .backward_seconds = {}});
    if (totals && steps > 0) {
      results.back().forward_seconds = totals->forward(i).count() / static_cast<double>(steps);
      results.back().backward_seconds = totals->backward(i).count() / static_cast<double>(steps);
    }
    ++i;
  }
  return results;
}

std::vector<TraceEvent> layer_events(const Engine& engine, const OpTimeline* timeline) {
  std::vector<TraceEvent> events;
  if (!timeline) return events;
  for (const OpTimeline::Event& event : timeline->events()) {
    const OpInfo& op = engine.ops()[static_cast<size_t>(event.op)];
    events.push_back({.name = op.layer + " " + op.what,
                      .category = event.pass == Pass::Forward ? "forward" : "backward",
                      .detail = op.kernel,
                      .begin = event.begin.time_since_epoch(),
                      .duration = event.end - event.begin});
  }
  return events;
}

std::vector<TraceEvent> transfer_events(std::span<const Transfer> transfers,
                                        std::span<const TransferRecord> times, TimePoint start) {
  std::vector<TraceEvent> events;
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i].end == Seconds{}) continue;  // it never was
    events.push_back({.name = transfers[i].name,
                      .category = "communication",
                      .detail = bytes_text(transfers[i].bytes),
                      .begin = start.time_since_epoch() + times[i].begin,
                      .duration = times[i].end - times[i].begin});
  }
  return events;
}

}  // namespace lockstep
