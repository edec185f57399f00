#include "report/chrome_trace.h"

#include "config/run_json.h"

namespace lockstep {

std::string chrome_trace(const std::string& process, std::span<const TraceEvent> events) {
  constexpr double kMicroseconds = 1e6;
  Json list = Json::array();
  list.push_back({{"name", "process_name"},
                  {"ph", "M"},
                  {"pid", 0},
                  {"tid", 0},
                  {"args", {{"name", process}}}});
  for (const TraceEvent& event : events) {
    list.push_back({{"name", event.name},
                    {"cat", event.category},
                    {"ph", "X"},  // complete: begin and duration
                    {"ts", event.begin.count() * kMicroseconds},
                    {"dur", event.duration.count() * kMicroseconds},
                    {"pid", 0},
                    {"tid", 0},
                    {"args", {{"kernel", event.kernel}}}});
  }
  return Json{{"traceEvents", list}, {"displayTimeUnit", "ms"}}.dump() + "\n";
}

}  // namespace lockstep
