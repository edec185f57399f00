#include "measure/host.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

class FakeRoot : public ::testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  TemporaryDirectory temporary_;
  const fs::path root_ = temporary_.path();
};

TEST_F(FakeRoot, EveryFactCanBeUnavailable) {
  const HostInfo host = read_host(root_);
  EXPECT_FALSE(host.cpu_model || host.cpu_mhz || host.memory_bytes || host.governor ||
               host.transparent_huge_pages || host.load || host.cgroup_cpus || host.kernel);
  EXPECT_TRUE(host.isa.empty());
  EXPECT_FALSE(read_cpu_ticks(root_));
  EXPECT_FALSE(peak_memory_bytes(root_));
  EXPECT_FALSE(stolen_fraction(read_cpu_ticks(root_), read_cpu_ticks(root_)));
}

TEST_F(FakeRoot, FactsAreReadFromTheKernelsFiles) {
  put("proc/cpuinfo",
      "processor\t: 0\nmodel name\t: Some CPU\ncpu MHz\t\t: 2450.5\n"
      "flags\t\t: fpu sse sse4_2 avx avx2 fma aes\n");
  put("proc/meminfo", "MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    600 kB\n");
  put("proc/loadavg", "0.42 0.50 0.60 1/100 1234\n");
  put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  put("sys/fs/cgroup/cpu.max", "150000 100000\n");
  const HostInfo host = read_host(root_);
  EXPECT_EQ(host.cpu_model, "Some CPU");
  EXPECT_EQ(host.cpu_mhz, 2450.5);
  EXPECT_EQ(host.isa, (std::vector<std::string>{"sse4_2", "avx", "avx2", "fma"}));
  EXPECT_EQ(host.memory_bytes, 1024000);
  EXPECT_EQ(host.available_memory_bytes, 614400);
  EXPECT_EQ(host.load, 0.42);
  EXPECT_EQ(host.transparent_huge_pages, "madvise");
  EXPECT_EQ(host.governor, "performance");
  EXPECT_EQ(host.cgroup_cpus, 1.5);
}

TEST_F(FakeRoot, AContainersLimitCounts) {
  put("proc/meminfo", "MemAvailable:    600 kB\n");
  put("sys/fs/cgroup/memory.max", "300000\n");
  put("sys/fs/cgroup/memory.current", "100000\n");
  EXPECT_EQ(available_memory_bytes(root_), 200000);
  put("sys/fs/cgroup/memory.stat", "anon 20000\ninactive_file 50000\nactive_file 30000\n");
  EXPECT_EQ(available_memory_bytes(root_), 250000);
  put("sys/fs/cgroup/memory.max", "max\n");
  put("sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(available_memory_bytes(root_), 614400);
  EXPECT_FALSE(read_host(root_).cgroup_cpus);
}

TEST_F(FakeRoot, StolenTimeIsAPartOfAllTime) {
  put("proc/stat", "cpu  100 0 50 800 10 0 0 40 5 0\ncpu0 1 2 3\n");
  const auto before = read_cpu_ticks(root_);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->total, 1000);
  put("proc/stat", "cpu  150 0 50 820 10 0 0 70 5 0\n");
  EXPECT_DOUBLE_EQ(stolen_fraction(before, read_cpu_ticks(root_)).value(), 0.3);
}

TEST(Host, ThisMachineHasAProcessorAndMemory) {
  const HostInfo host = read_host();
  EXPECT_GE(host.usable_threads, 1);
  EXPECT_GT(host.memory_bytes.value_or(0), 0);
  EXPECT_GT(peak_memory_bytes().value_or(0), 0);
}

}  // namespace
}  // namespace lockstep
