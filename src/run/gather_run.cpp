#include "run/gather_run.h"

#include <algorithm>

#include "comm/gather.h"
#include "config/json.h"
#include "config/json_text.h"
#include "run/peer_text.h"

namespace lockstep {
namespace {

Json to_json(const InputCost& cost) {
  return {{"threads", cost.threads},
          {"seconds", cost.processor_time.count()},
          {"examples", cost.examples}};
}

InputCost cost_from_json(const Json& json) {
  return {.threads = json.at("threads").get<int>(),
          .processor_time = Seconds(json.at("seconds").get<double>()),
          .examples = json.at("examples").get<int64_t>()};
}

Json to_json(const Skipped& skipped) {
  return {{"examples", skipped.examples}, {"files", skipped.files}, {"lines", skipped.lines}};
}

Skipped skipped_from_json(const Json& json) {
  return {.examples = json.at("examples").get<std::vector<int64_t>>(),
          .files = json.at("files").get<int64_t>(),
          .lines = json.at("lines").get<std::vector<std::string>>()};
}

Json to_json(const std::optional<double>& joules) { return joules ? Json(*joules) : Json(nullptr); }

std::optional<double> joules_in(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

Json to_json(const PhaseJoules& phases) {
  Json json = Json::array();
  for (const auto& joules : phases) json.push_back(to_json(joules));
  return json;
}

PhaseJoules phase_joules_in(const Json& json) {
  PhaseJoules phases;
  for (size_t i = 0; i < phases.size(); ++i) phases[i] = joules_in(json.at(i));
  return phases;
}

Json to_json(const WorkerReport& report) {
  return {
      {"rank", rank_to_json(report.rank)},    {"start", report.start.time_since_epoch().count()},
      {"trace", trace_to_json(report.trace)}, {"input", to_json(report.input)},
      {"skipped", to_json(report.skipped)},   {"reads_energy", report.reads_energy},
      {"joules", to_json(report.joules)},     {"phase_joules", to_json(report.phase_joules)}};
}

WorkerReport from_json(const Json& json) {
  return {.rank = rank_from_json(json.at("rank")),
          .start = TimePoint(Clock::duration(json.at("start").get<Clock::rep>())),
          .trace = trace_from_json(json.at("trace")),
          .input = cost_from_json(json.at("input")),
          .skipped = skipped_from_json(json.at("skipped")),
          .reads_energy = json.at("reads_energy").get<bool>(),
          .joules = joules_in(json.at("joules")),
          .phase_joules = phase_joules_in(json.at("phase_joules"))};
}

void add_to(std::optional<double>& sum, const std::optional<double>& joules) {
  sum = sum && joules ? std::optional(*sum + *joules) : std::nullopt;
}

void add_energy(GatheredRun& sum, const WorkerReport& report) {
  if (!report.reads_energy) return;
  add_to(sum.joules, report.joules);
  for (size_t i = 0; i < sum.phase_joules.size(); ++i) {
    add_to(sum.phase_joules[i], report.phase_joules[i]);
  }
}

void add_to(InputCost& sum, const InputCost& more) {
  sum.threads = std::max(sum.threads, more.threads);
  sum.processor_time += more.processor_time;
  sum.examples += more.examples;
}

// Its records count from a start of its own. Durations stay: their error is a few millionths.
void to_our_clock(WorkerReport& report, const RankClock& clock, TimePoint our_start) {
  const auto moment = [](Seconds at) {
    return TimePoint(std::chrono::duration_cast<Clock::duration>(at));
  };
  const Seconds start = report.start.time_since_epoch(), between = report.start - our_start;
  const auto ours = [&](Seconds at) { return at + between + clock.offset(moment(start + at)); };
  for (auto* steps : {&report.rank.warmup_steps, &report.rank.steps}) {
    for (StepRecord& step : *steps) step.begin = ours(step.begin);
  }
  for (TransferRecord& record : report.rank.transfers) {
    if (record.end == Seconds{}) continue;  // it never was
    for (Seconds* at : {&record.ready, &record.begin, &record.end}) *at = ours(*at);
  }
  for (auto* events : {&report.trace.layers, &report.trace.transfers}) {
    for (TraceEvent& event : *events) event.begin += clock.offset(moment(event.begin));
  }
}

}  // namespace

WorkerReport worker_report_in(std::string_view text, int rank) {
  return read_from_peer(rank, "the record of its run", text, from_json);
}

GatheredRun gather_run(Group& group, const ClockOffsets& before, WorkerReport mine) {
  GatheredRun gathered;
  gathered.phase_joules.fill(0);
  Communicator& control = group.control();
  const auto add = [&](WorkerReport report) {
    add_energy(gathered, report);
    gathered.ranks.push_back(std::move(report.rank));
    gathered.traces.push_back(std::move(report.trace));
    add_to(gathered.input, report.input);
    gathered.skipped = joined(gathered.skipped, report.skipped);
  };
  if (control.size() == 1) {
    add(std::move(mine));
    return gathered;
  }
  const ClockOffsets after = measure_clock_offsets(control);
  const std::vector<std::string> texts = gather(control, json_text(to_json(mine)), 0);
  for (size_t rank = 0; rank < texts.size(); ++rank) {
    WorkerReport report = worker_report_in(texts[rank], static_cast<int>(rank));
    to_our_clock(report, RankClock(before, after, rank), mine.start);
    add(std::move(report));
  }
  return gathered;
}

}  // namespace lockstep
