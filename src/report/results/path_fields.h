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
  visit("transfer_seconds", path.transfer_seconds);
  visit("transfer_bytes", path.transfer_bytes);
  visit("last_transfer_bytes", path.last_bytes);
}

}  // namespace lockstep
