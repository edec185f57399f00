// host.h: describes the machine that a run was measured on; every fact can be absent (virtual
// machines hide most of them).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lockstep {

struct HostInfo {
  std::string name;
  std::optional<std::string> kernel;
  std::optional<std::string> cpu_model;
  std::optional<std::string> microcode;  // its version
  std::vector<std::string> isa;          // vector extensions, as /proc/cpuinfo spells them
  std::optional<double> cpu_mhz;
  std::optional<int> cores, hardware_threads, numa_nodes;
  int usable_threads = 1;                               // of the hardware's, to this process
  std::optional<int64_t> l1_bytes, l2_bytes, l3_bytes;  // of one data cache of each level
  std::optional<int64_t> memory_bytes, available_memory_bytes;
  std::optional<std::string> governor;
  std::optional<std::string> transparent_huge_pages;
  std::optional<double> load;         // mean of the last minute, before the run
  std::optional<double> cgroup_cpus;  // quota of this container; absent: none
};

// `root` is where proc and sys are found; tests give their own.
HostInfo read_host(const std::filesystem::path& root = "/");

// Clock ticks of all processors since the machine started.
struct CpuTicks {
  int64_t total = 0, stolen = 0;
};
std::optional<CpuTicks> read_cpu_ticks(const std::filesystem::path& root = "/");
// The part of all processor time that other virtual machines took meanwhile.
std::optional<double> stolen_fraction(const std::optional<CpuTicks>& before,
                                      const std::optional<CpuTicks>& after);

// The most resident memory that this process ever had.
std::optional<int64_t> peak_memory_bytes(const std::filesystem::path& root = "/");
// What could still be allocated, in this container if it is one.
std::optional<int64_t> available_memory_bytes(const std::filesystem::path& root = "/");

}  // namespace lockstep
