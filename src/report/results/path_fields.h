// path_fields.h: the JSON keys of transfers, critical paths and energy, for run_result.cpp.
#pragma once

#include "report/results/json_fields.h"
#include "report/results/run_result.h"

namespace lockstep {

void fields(Like<Transfer> auto& transfer, auto&& visit) {
  visit("name", transfer.name);
  visit("bytes", transfer.bytes);
  visit("layers", transfer.layers);
  visit("server", transfer.server);
}

// There are many of them, so they are short. Three numbers, or five with a hold.
template <>
struct JsonForm<TransferRecord> {
  static Json write(const TransferRecord& record) {
    Json json = {record.ready.count(), record.begin.count(), record.end.count()};
    if (record.hold) json.push_back(record.hold->waited.count());
    if (record.hold) json.push_back(record.hold->queued.count());
    return json;
  }
  static void read(const Json& json, TransferRecord& record) {
    const auto at = [&](size_t place) { return Seconds(json.at(place).get<double>()); };
    record = {at(0), at(1), at(2)};
    if (json.size() > 3) record.hold = {.waited = at(3), .queued = at(4)};
  }
};

void fields(Like<EnergyResult> auto& energy, auto&& visit) {
  visit("joules", energy.joules);
  visit("images_per_joule", energy.images_per_joule);
  for (size_t i = 0; i < kPhaseNames.size(); ++i) {
    visit((std::string(kPhaseNames[i]) + "_joules").c_str(), energy.phases[i]);
  }
}

void fields(Like<LateRank> auto& late, auto&& visit) {
  visit("rank", late.rank);
  visit("host", late.host);
  visit("fraction", late.fraction);
  visit("seconds", late.seconds);
  visit("where", late.where);
}

void fields(Like<ServerWait> auto& wait, auto&& visit) {
  visit("server", wait.server);
  visit("variable", wait.variable);
  visit("seconds", wait.seconds);
}

void fields(Like<PathSummary> auto& path, auto&& visit) {
  visit("steps", path.steps);
  for (size_t i = 0; i < kPathPartNames.size(); ++i) {
    visit((std::string(kPathPartNames[i]) + "_seconds").c_str(), path.parts[i]);
  }
  visit("late", path.late);
  visit("server_waits", path.servers);
  visit("servers_measured", path.servers_measured);
  visit("transfer_seconds", path.transfer_seconds);
  visit("transfer_bytes", path.transfer_bytes);
  visit("last_transfer_bytes", path.last_bytes);
}

}  // namespace lockstep
