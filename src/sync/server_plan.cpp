#include "sync/server_plan.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "config/json.h"
#include "config/json_text.h"
#include "config/run_json.h"

namespace lockstep {
namespace {

constexpr int64_t kMostFloats = int64_t{1} << 38;  // of all servers: 1 TiB
constexpr int kVersion = 2;                        // of the plan and of server_protocol.h

Json json_of(const Slice& slice) {
  Json parts = Json::array();
  for (const SlicePart& part : slice.parts) {
    parts.push_back({part.first_float, part.floats, part.decays});
  }
  return {
      {"name", slice.name}, {"server", slice.server}, {"floats", slice.floats}, {"parts", parts}};
}

Slice slice_of(const Json& json) {
  Slice slice{.name = json.at("name"),
              .server = json.at("server"),
              .first_float = 0,
              .floats = json.at("floats"),
              .parts = {}};
  for (const Json& part : json.at("parts")) {
    slice.parts.push_back({part.at(0), part.at(1), part.at(2)});
  }
  const bool inside = std::ranges::all_of(slice.parts, [&](const SlicePart& part) {
    return part.first_float >= 0 && part.floats >= 0 && part.floats <= slice.floats &&
           part.first_float <= slice.floats - part.floats;
  });
  if (slice.floats < 0 || !inside) throw Error("worker 0 sent a slice with impossible parts");
  return slice;
}

// One list of the settings, for both ways.
void fields(auto& settings, auto&& visit) {
  visit("name", settings.name);
  visit("momentum", settings.momentum);
  visit("rmsprop_decay", settings.rmsprop_decay);
  visit("rmsprop_momentum", settings.rmsprop_momentum);
  visit("rmsprop_epsilon", settings.rmsprop_epsilon);
  visit("adam_beta1", settings.adam_beta1);
  visit("adam_beta2", settings.adam_beta2);
  visit("adam_epsilon", settings.adam_epsilon);
  visit("weight_decay", settings.weight_decay);
}

Json json_of(const OptimizerSettings& settings) {
  Json json;
  fields(settings, [&](const char* name, const auto& value) { json[name] = value; });
  if (settings.gradient_clip) json["gradient_clip"] = *settings.gradient_clip;
  return json;
}

OptimizerSettings optimizer_of(const Json& json) {
  OptimizerSettings settings;
  fields(settings, [&](const char* name, auto& value) { json.at(name).get_to(value); });
  if (json.contains("gradient_clip")) settings.gradient_clip = json["gradient_clip"].get<double>();
  return settings;
}

}  // namespace

std::string text_of(const ServerPlan& plan) {
  Json slices = Json::array();
  for (const Slice& slice : plan.slices) slices.push_back(json_of(slice));
  return Json{{"version", kVersion},
              {"workers", plan.workers},
              {"synchronous", plan.synchronous},
              {"gradient_scale", plan.gradient_scale},
              {"optimizer", json_of(plan.optimizer)},
              {"updates", plan.updates},
              {"slices", slices}}
      .dump();
}

ServerPlan plan_from_text(const std::string& text) {
  try {
    const Json json = printable_json_in(text);
    if (json.at("version") != kVersion) {
      throw Error(
          "worker 0 uses version {} of the parameter server protocol, this server version {}",
          json["version"].dump(), kVersion);
    }
    ServerPlan plan{.workers = json.at("workers"),
                    .synchronous = json.at("synchronous"),
                    .gradient_scale = json.at("gradient_scale"),
                    .optimizer = optimizer_of(json.at("optimizer")),
                    .updates = json.at("updates"),
                    .slices = {}};
    if (plan.workers < 1 || plan.updates < 0) throw Error("worker 0 sent an impossible plan");
    int64_t floats = 0;
    for (const Json& slice : json.at("slices")) {
      plan.slices.push_back(slice_of(slice));
      if (plan.slices.back().floats > kMostFloats - floats) {
        throw Error("worker 0 sent a plan of more than {}",
                    bytes_text(kMostFloats * int64_t{sizeof(float)}));
      }
      floats += plan.slices.back().floats;
    }
    return plan;
  } catch (const Json::exception& error) {
    throw Error("worker 0 sent an invalid plan to a parameter server: {}", error.what());
  }
}

void check_place(const ServerPlan& plan, int rank) {
  if (plan.workers <= rank) return;
  throw Error("worker 0 sent a plan for {}; this server is rank {}",
              count_text(plan.workers, "worker"), rank);
}

}  // namespace lockstep
