#include "report/results/chrome_trace.h"

#include <algorithm>
#include <limits>

#include "config/json.h"
#include "config/json_text.h"
#include "report/results/json_fields.h"

namespace lockstep {

void fields(Like<TraceEvent> auto& event, auto&& visit) {
  visit("name", event.name);
  visit("category", event.category);
  visit("detail", event.detail);
  visit("begin", event.begin);
  visit("duration", event.duration);
}

void fields(Like<RankTrace> auto& trace, auto&& visit) {
  visit("name", trace.name);
  visit("layers", trace.layers);
  visit("transfers", trace.transfers);
}

namespace {

constexpr int kLayers = 0, kTransfers = 1;  // the tracks of a rank

Seconds first_begin(std::span<const RankTrace> ranks) {
  Seconds first{std::numeric_limits<double>::infinity()};
  for (const RankTrace& rank : ranks) {
    for (const TraceEvent& event : rank.layers) first = std::min(first, event.begin);
    for (const TraceEvent& event : rank.transfers) first = std::min(first, event.begin);
  }
  return first;
}

Json label(const char* what, int rank, int track, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", rank}, {"tid", track}, {"args", {{"name", name}}}};
}

void add_track(Json& list, std::span<const TraceEvent> events, Seconds start, int rank, int track) {
  constexpr double kMicroseconds = 1e6;
  for (const TraceEvent& event : events) {
    list.push_back({{"name", event.name},
                    {"cat", event.category},
                    {"ph", "X"},  // complete: begin and duration
                    {"ts", (event.begin - start).count() * kMicroseconds},
                    {"dur", event.duration.count() * kMicroseconds},
                    {"pid", rank},
                    {"tid", track},
                    {"args", {{"detail", event.detail}}}});
  }
}

}  // namespace

Json trace_to_json(const RankTrace& trace) { return JsonForm<RankTrace>::write(trace); }

RankTrace trace_from_json(const Json& json) {
  RankTrace trace;
  JsonForm<RankTrace>::read(json, trace);
  return trace;
}

std::string chrome_trace(const std::string& process, std::span<const RankTrace> ranks) {
  const Seconds start = first_begin(ranks);
  Json list = Json::array();
  for (int rank = 0; const RankTrace& trace : ranks) {
    list.push_back(label("process_name", rank, kLayers, process + ", " + trace.name));
    list.push_back(label("thread_name", rank, kLayers, "layers"));
    if (!trace.transfers.empty()) {
      list.push_back(label("thread_name", rank, kTransfers, "communication"));
    }
    add_track(list, trace.layers, start, rank, kLayers);
    add_track(list, trace.transfers, start, rank, kTransfers);
    ++rank;
  }
  return json_text({{"traceEvents", list}, {"displayTimeUnit", "ms"}}) + "\n";
}

}  // namespace lockstep
