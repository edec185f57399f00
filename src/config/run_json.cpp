#include "config/run_json.h"

#include <algorithm>

#include "base/error.h"
#include "config/json.h"
#include "config/run_options.h"

namespace lockstep {
namespace {

std::string with(std::string name, char from, char to) {
  std::replace(name.begin(), name.end(), from, to);
  return name;
}

template <typename T>
Json json_of(const T& value) {
  return value;
}
template <typename T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

const RunOption& option_named(const std::string& key) {
  if (const RunOption* option = find_option(key)) return *option;
  throw UsageError("a run has no option '{}'", key);
}

std::string text_in(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_array()) {
    std::string lines;
    for (const Json& each : value) lines += text_in(each) + "\n";
    return lines;
  }
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

Json run_to_json(const RunConfig& run) {
  Json json = Json::object();
  for (const RunOption& option : run_options()) {
    json[with(option.name, '-', '_')] =
        std::visit([&](auto member) { return json_of(run.*member); }, option.member);
  }
  return json;
}

RunConfig run_from_json(const Json& json) {
  if (!json.is_object()) throw UsageError("a configuration must be a JSON object");
  RunConfig run;
  for (const auto& [key, value] : json.items()) {
    set_from_text(run, option_named(key), text_in(value));
  }
  return run;
}

}  // namespace lockstep
