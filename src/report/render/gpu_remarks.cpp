#include "report/render/gpu_remarks.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/text.h"

namespace lockstep {
namespace {

std::map<std::string, int> models_of(const std::vector<GpuRecord>& gpus) {
  std::map<std::string, int> models;
  for (const GpuRecord& gpu : gpus) ++models[gpu.info.name];
  return models;
}

std::string clock_text(const std::vector<GpuRecord>& gpus) {
  std::optional<int> lowest, highest;
  for (const GpuRecord& gpu : gpus) {
    if (!gpu.lowest_clock_mhz) continue;
    lowest = std::min(lowest.value_or(*gpu.lowest_clock_mhz), *gpu.lowest_clock_mhz);
    highest = std::max(highest.value_or(0), gpu.highest_clock_mhz.value_or(0));
  }
  if (!lowest) return "";
  return *lowest == *highest ? fmt::format(", clock {} MHz", *lowest)
                             : fmt::format(", clock {} to {} MHz", *lowest, *highest);
}

std::string where(const GpuRecord& gpu) {
  return fmt::format("rank {} ({}, {})", gpu.rank, gpu.host, gpu.info.pci_address);
}

std::string energy_text(const std::vector<GpuRecord>& gpus, double images) {
  double joules = 0;
  for (const GpuRecord& gpu : gpus) {
    if (!gpu.energy_joules) return "";  // a part of them would look like all
    joules += *gpu.energy_joules;
  }
  if (joules <= 0 || images <= 0) return "";
  return fmt::format("; {:.3g} kJ in the timed steps, {:.3g} J per image", joules / 1e3,
                     joules / images);
}

}  // namespace

std::vector<std::string> gpu_lines(const std::vector<GpuRecord>& gpus, double images) {
  if (gpus.empty()) return {};
  std::vector<std::string> parts;
  for (const auto& [name, count] : models_of(gpus)) {
    parts.push_back(count == 1 ? name : fmt::format("{} x {}", count, name));
  }
  return {fmt::format("GPU: {}, driver {}{}{}", fmt::join(parts, " and "), gpus.front().info.driver,
                      clock_text(gpus), energy_text(gpus, images))};
}

std::vector<std::string> gpu_notes(const std::vector<GpuRecord>& gpus) {
  std::vector<std::string> notes;
  for (const GpuRecord& gpu : gpus) {
    if (!gpu.throttled.empty()) {
      notes.push_back(
          fmt::format("note: the GPU of {} was throttled during the timed steps ({}), and "
                      "throughput is too low",
                      where(gpu), fmt::join(gpu.throttled, ", ")));
    }
    if (gpu.info.ecc_errors.value_or(0) > 0) {
      notes.push_back(fmt::format("note: the GPU of {} has {}; results may be wrong", where(gpu),
                                  count_text(*gpu.info.ecc_errors, "uncorrected memory error")));
    }
  }
  if (models_of(gpus).size() > 1) {
    notes.emplace_back("note: the GPUs differ in model; the slowest one sets the step time");
  }
  return notes;
}

}  // namespace lockstep
