#include "measure/energy.h"

#include <fstream>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::optional<int64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  int64_t number = 0;
  if (!(file >> number)) return {};
  return number;
}

// Cores and graphics are part of their package, and psys of nothing else: they would count twice.
bool counts(const fs::path& zone) {
  std::ifstream file(zone / "name");
  std::string name;
  file >> name;
  return name.starts_with("package") || name == "dram";
}

}  // namespace

EnergyMeter::EnergyMeter(const fs::path& root) {
  std::error_code error;  // no such directory: no counters
  for (const auto& entry : fs::directory_iterator(root / "sys/class/powercap", error)) {
    const fs::path& zone = entry.path();
    if (!zone.filename().string().starts_with("intel-rapl:") || !counts(zone)) continue;
    zones_.push_back({.counter = zone / "energy_uj",
                      .range = number_in(zone / "max_energy_range_uj").value_or(0)});
  }
}

void EnergyMeter::begin() {
  microjoules_ = 0;
  readable_ = !zones_.empty();
  for (Zone& zone : zones_) {
    const auto now = number_in(zone.counter);
    if (!now) readable_ = false;
    zone.last = now.value_or(0);
  }
}

void EnergyMeter::sample() {
  for (Zone& zone : zones_) {
    const auto now = number_in(zone.counter);
    if (!now) {
      readable_ = false;
      continue;
    }
    microjoules_ += *now >= zone.last ? *now - zone.last : *now - zone.last + zone.range;
    zone.last = *now;
  }
}

std::optional<double> EnergyMeter::joules() const {
  if (!readable_) return {};
  return static_cast<double>(microjoules_) / 1e6;
}

}  // namespace lockstep
