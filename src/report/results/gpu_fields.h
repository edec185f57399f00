// gpu_fields.h: the JSON form of what was seen of a GPU and of its loss scale.
#pragma once

#include "measure/gpu_watch.h"
#include "report/results/json_fields.h"
#include "report/results/run_result.h"

namespace lockstep {

void fields(Like<GpuInfo> auto& gpu, auto&& visit) {
  visit("name", gpu.name);
  visit("uuid", gpu.uuid);
  visit("pci_address", gpu.pci_address);
  visit("driver", gpu.driver);
  visit("memory_bytes", gpu.memory_bytes);
  visit("max_clock_mhz", gpu.max_clock_mhz);
  visit("power_limit_watts", gpu.power_limit_watts);
  visit("uncorrected_ecc_errors", gpu.ecc_errors);
}

void fields(Like<LossScaleResult> auto& scale, auto&& visit) {
  visit("last", scale.last);
  visit("skipped_updates", scale.skipped_updates);
}

void fields(Like<GpuRecord> auto& record, auto&& visit) {
  visit("rank", record.rank);
  visit("host", record.host);
  fields(record.info, visit);
  visit("lowest_clock_mhz", record.lowest_clock_mhz);
  visit("highest_clock_mhz", record.highest_clock_mhz);
  visit("memory_clock_mhz", record.memory_clock_mhz);
  visit("energy_joules", record.energy_joules);
  visit("throttled", record.throttled);
  visit("samples", record.samples);
}

}  // namespace lockstep
