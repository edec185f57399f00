#include "base/run_event.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "base/text.h"

namespace lockstep {
namespace {

constexpr std::string_view kMark = "@lockstep ";
constexpr std::string_view kNames[] = {"interrupted", "failed", "disk-full", "log"};

}  // namespace

std::string event_line(const RunEvent& event) {
  std::string line = fmt::format("{}{}", kMark, kNames[static_cast<size_t>(event.kind)]);
  if (!event.text.empty()) line += fmt::format(" {}", fmt::join(split(event.text, '\n'), "; "));
  return line;
}

std::optional<RunEvent> parse_event_line(std::string_view line) {
  if (!line.starts_with(kMark)) return {};
  line.remove_prefix(kMark.size());
  const size_t end = std::min(line.find(' '), line.size());
  const auto name = std::ranges::find(kNames, line.substr(0, end));
  if (name == std::end(kNames)) return {};
  return RunEvent{.kind = static_cast<RunEvent::Kind>(name - std::begin(kNames)),
                  .text = std::string(line.substr(std::min(end + 1, line.size())))};
}

void report_event(Context& context, const RunEvent& event) {
  if (context.environment(kEventsVariable)) context.err << event_line(event) << "\n" << std::flush;
}

void report_log_line(Context& context, const std::string& line, bool verbose) {
  if (context.environment(kEventsVariable)) {
    report_event(context, {.kind = RunEvent::Kind::Log, .text = line});
  } else if (verbose) {
    context.err << line << "\n" << std::flush;
  }
}

}  // namespace lockstep
