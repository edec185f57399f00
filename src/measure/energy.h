// energy.h: energy of this host, from the counters of the processor (RAPL, by powercap).
//
// All packages and their memory count, whoever uses them. Virtual machines hide the counters, and
// many systems let only root read them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lockstep {

// Adds up counters that wrap: sample() has to be called before one does, which takes minutes.
class EnergyMeter {
 public:
  explicit EnergyMeter(const std::filesystem::path& root = "/");  // tests give their own

  void begin();   // counts from here
  void sample();  // brings the sum up to now
  std::optional<double> joules()
      const;  // between begin() and the last sample; absent: not readable

 private:
  struct Zone {
    std::filesystem::path counter = {};
    int64_t range = 0;  // microjoules at which it wraps
    int64_t last = 0;
  };
  std::vector<Zone> zones_;
  bool readable_ = false;
  int64_t microjoules_ = 0;
};

}  // namespace lockstep
