#include "measure/energy.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

class Powercap : public ::testing::Test {
 protected:
  void zone(const std::string& id, const std::string& name, int64_t microjoules) {
    const fs::path path = root_ / "sys/class/powercap" / id;
    fs::create_directories(path);
    std::ofstream(path / "name") << name << "\n";
    std::ofstream(path / "max_energy_range_uj") << 1'000'000'000 << "\n";
    std::ofstream(path / "energy_uj") << microjoules << "\n";
  }
  TemporaryDirectory temporary_;
  const fs::path root_ = temporary_.path();
};

TEST_F(Powercap, WithoutCountersEnergyIsUnavailable) {
  EnergyMeter meter(root_);
  meter.begin();
  meter.sample();
  EXPECT_FALSE(meter.joules());
}

TEST_F(Powercap, PackagesAndMemoryAddUpAndTheirPartsDoNotCountTwice) {
  const auto counters = [&](int64_t more) {
    zone("intel-rapl:0", "package-0", 5'000'000 + more);
    zone("intel-rapl:1", "package-1", 7'000'000 + more);
    zone("intel-rapl:0:0", "core", 1'000'000 + more);
    zone("intel-rapl:0:1", "dram", 2'000'000 + more);
    zone("intel-rapl:2", "psys", 9'000'000 + more);
  };
  counters(0);
  EnergyMeter meter(root_);
  meter.begin();
  counters(2'500'000);
  meter.sample();
  EXPECT_DOUBLE_EQ(meter.joules().value_or(0), 7.5);
}

TEST_F(Powercap, ACounterMayWrap) {
  zone("intel-rapl:0", "package-0", 999'000'000);
  EnergyMeter meter(root_);
  meter.begin();
  zone("intel-rapl:0", "package-0", 3'000'000);
  meter.sample();
  zone("intel-rapl:0", "package-0", 4'000'000);
  meter.sample();
  EXPECT_DOUBLE_EQ(meter.joules().value_or(0), 5);
}

TEST_F(Powercap, ACounterThatMayNotBeReadMakesAllUnavailable) {
  zone("intel-rapl:0", "package-0", 1);
  zone("intel-rapl:1", "package-1", 1);
  fs::remove(root_ / "sys/class/powercap/intel-rapl:1/energy_uj");
  EnergyMeter meter(root_);
  meter.begin();
  meter.sample();
  EXPECT_FALSE(meter.joules());
}

}  // namespace
}  // namespace lockstep
