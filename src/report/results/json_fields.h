// json_fields.h: converts plain structs to JSON and back from one list of fields.
//
// A struct lists its fields once:
//   void fields(Like<Interval> auto& interval, auto&& visit) {
//     visit("low", interval.low);
//     visit("high", interval.high);
//   }
// JsonForm<Interval> then writes and reads it, also in vectors and optionals (absent is null).
// A missing key leaves the field at its default.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/time.h"
#include "config/json.h"
#include "config/run_json.h"

namespace lockstep {

template <typename Self, typename Struct>
concept Like = std::same_as<std::remove_const_t<Self>, Struct>;

struct AnyVisitor {
  void operator()(const char* /*name*/, auto& /*field*/) const {}
};
template <typename T>
concept HasFields = requires(T& value) {
  fields(value, AnyVisitor{});
};

template <typename T>
struct JsonForm {
  static Json write(const T& value) { return value; }
  static void read(const Json& json, T& value) { value = json.get<T>(); }
};

template <HasFields T>
struct JsonForm<T> {
  static Json write(const T& value) {
    Json json = Json::object();
    fields(value, [&]<typename Field>(const char* name, const Field& field) {
      json[name] = JsonForm<Field>::write(field);
    });
    return json;
  }
  static void read(const Json& json, T& value) {
    fields(value, [&]<typename Field>(const char* name, Field& field) {
      if (json.contains(name)) JsonForm<Field>::read(json.at(name), field);
    });
  }
};

// JSON has no NaN, such as the loss of a diverged run: it becomes null.
template <>
struct JsonForm<double> {
  static Json write(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
  static void read(const Json& json, double& value) {
    value = json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
  }
};

template <>
struct JsonForm<Seconds> {
  static Json write(Seconds seconds) { return JsonForm<double>::write(seconds.count()); }
  static void read(const Json& json, Seconds& seconds) {
    double count = 0;
    JsonForm<double>::read(json, count);
    seconds = Seconds(count);
  }
};

template <>
struct JsonForm<RunConfig> {
  static Json write(const RunConfig& run) { return run_to_json(run); }
  static void read(const Json& json, RunConfig& run) { run = run_from_json(json); }
};

template <typename T>
struct JsonForm<std::optional<T>> {
  static Json write(const std::optional<T>& value) {
    return value ? JsonForm<T>::write(*value) : Json(nullptr);
  }
  static void read(const Json& json, std::optional<T>& value) {
    if (json.is_null()) return value.reset();
    JsonForm<T>::read(json, value.emplace());
  }
};

template <typename T>
struct JsonForm<std::vector<T>> {
  static Json write(const std::vector<T>& values) {
    Json json = Json::array();
    for (const T& value : values) json.push_back(JsonForm<T>::write(value));
    return json;
  }
  static void read(const Json& json, std::vector<T>& values) {
    values.clear();
    for (const Json& item : json) JsonForm<T>::read(item, values.emplace_back());
  }
};

}  // namespace lockstep
