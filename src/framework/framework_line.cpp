#include "framework/framework_line.h"

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "config/json.h"
#include "config/json_text.h"

namespace lockstep {
namespace {

constexpr std::string_view kMark = "@lockstep/";

template <typename T>
std::optional<T> known(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return {};
  return found->get<T>();
}

// JSON has no number that is not finite: such a loss is a text, "nan" or "inf".
double loss_of(const Json& json) {
  return json.is_string() ? std::strtod(json.get<std::string>().c_str(), nullptr)
                          : json.get<double>();
}

CheckEvent check(const Json& json) {
  CheckEvent event = {.losses = {}, .values = known<std::string>(json, "values")};
  for (const Json& loss : json.at("losses")) event.losses.push_back(loss_of(loss));
  return event;
}

HelloEvent hello(const Json& json) {
  return {.framework = json.at("framework"),
          .version = json.at("version"),
          .libraries = known<std::map<std::string, std::string>>(json, "libraries")
                           .value_or(std::map<std::string, std::string>{}),
          .device = known<std::string>(json, "device").value_or(""),
          .communication = known<std::string>(json, "communication").value_or("")};
}

StepEvent step(const Json& json) {
  StepEvent event = {.step = json.at("step").get<int>(),
                     .begin = Seconds(json.at("begin").get<double>()),
                     .end = Seconds(json.at("end").get<double>()),
                     .loss = {}};
  if (json.contains("loss") && !json.at("loss").is_null()) event.loss = loss_of(json.at("loss"));
  if (event.step < 1) throw Error("steps count from 1");
  if (!(event.end > event.begin)) throw Error("a step ends before it begins");
  const Json phases = known<Json>(json, "phases").value_or(Json::object());
  for (const auto& [name, seconds] : phases.items()) {
    const auto phase = std::ranges::find(kPhaseNames, name);
    if (phase == kPhaseNames.end()) throw Error("there is no phase '{}'", name);
    if (seconds.is_null()) continue;
    event.phases[static_cast<size_t>(phase - kPhaseNames.begin())] = seconds.get<double>();
  }
  return event;
}

TrialEvent trial(const Json& json) {
  const std::string problem = known<std::string>(json, "problem").value_or("");
  return {.mode = json.at("mode"),
          .seconds = problem.empty() ? json.at("seconds").get<double>() : 0,
          .problem = problem};
}

FrameworkEvent event_of(const Json& json) {
  const std::string kind = json.at("event");
  if (kind == "hello") return hello(json);
  if (kind == "network") {
    return NetworkEvent{json.at("parameters").get<int64_t>(), known<int64_t>(json, "forward_macs")};
  }
  if (kind == "check") return check(json);
  if (kind == "trial") return trial(json);
  if (kind == "step") return step(json);
  if (kind == "done") return DoneEvent{known<int64_t>(json, "peak_memory_bytes")};
  throw Error("there is no event '{}'", kind);
}

}  // namespace

std::optional<FrameworkEvent> parse_framework_line(std::string_view line) {
  if (!line.starts_with(kMark)) return {};
  const std::string_view rest = line.substr(kMark.size());
  const size_t space = std::min(rest.find(' '), rest.size());
  try {
    if (rest.substr(0, space) != fmt::to_string(kFrameworkProtocol)) {
      throw Error("version {} of the protocol is required", kFrameworkProtocol);
    }
    const Json json = printable_json_in(rest.substr(space));
    if (json.is_discarded()) throw Error("what follows the version is not JSON");
    return event_of(json);
  } catch (const std::exception& error) {  // adds the line to what is wrong with it
    throw Error("line of the training script '{}': {}", line, error.what());
  }
}

}  // namespace lockstep
