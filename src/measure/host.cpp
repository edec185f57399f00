#include "measure/host.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/host_name.h"
#include "base/text.h"
#include "measure/topology.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return {};
  return line;
}

// The text after "key" and its colon in files like /proc/cpuinfo and /proc/meminfo.
std::optional<std::string> value_of(const fs::path& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos || !line.starts_with(key)) continue;
    if (line.find_first_not_of(" \t", key.size()) != colon) continue;
    const size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

std::optional<int64_t> kilobytes_of(const fs::path& path, std::string_view key) {
  const auto text = value_of(path, key);
  if (!text) return {};
  const auto number = whole_number(text->substr(0, text->find(' ')));
  return number ? std::optional(*number * 1024) : std::nullopt;
}

std::optional<double> number_in(const std::optional<std::string>& text) {
  return text ? finite_number(text->substr(0, text->find(' '))) : std::nullopt;
}

// "always [madvise] never" means madvise.
std::optional<std::string> bracketed(const std::optional<std::string>& line) {
  if (!line) return {};
  const size_t open = line->find('['), close = line->find(']');
  if (open == std::string::npos || close < open) return {};
  return line->substr(open + 1, close - open - 1);
}

std::vector<std::string> vector_extensions(const std::optional<std::string>& flags) {
  std::vector<std::string> found;
  if (!flags) return found;
  for (const std::string& flag : split(*flags, ' ')) {
    const bool vector = flag.starts_with("sse4") || flag.starts_with("avx") ||
                        flag.starts_with("amx") || flag == "fma";
    if (vector) found.push_back(flag);
  }
  return found;
}

// "150000 100000": quota and period of cgroup v2; "max" is no limit.
std::optional<double> cgroup_limit(const fs::path& root) {
  const auto line = first_line(root / "sys/fs/cgroup/cpu.max");
  if (!line) return {};
  const std::vector<std::string> words = split(*line, ' ');
  if (words.size() != 2) return {};
  const auto quota = finite_number(words[0]), period = finite_number(words[1]);
  return quota && period ? std::optional(*quota / *period) : std::nullopt;
}

// "inactive_file 4096" in a list of them.
std::optional<double> cgroup_statistic(const fs::path& path, std::string_view name) {
  std::ifstream file(path);
  std::string key;
  for (double value = 0; file >> key >> value;) {
    if (key == name) return value;
  }
  return {};
}

int usable_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(CPU_COUNT(&set), 1) : 1;
}

}  // namespace

HostInfo read_host(const fs::path& root) {
  const fs::path cpuinfo = root / "proc/cpuinfo";
  const Topology topology = read_topology();
  return {.name = host_name(),
          .kernel = first_line(root / "proc/sys/kernel/osrelease"),
          .cpu_model = value_of(cpuinfo, "model name"),
          .microcode = value_of(cpuinfo, "microcode"),
          .isa = vector_extensions(value_of(cpuinfo, "flags")),
          .cpu_mhz = number_in(value_of(cpuinfo, "cpu MHz")),
          .cores = topology.cores,
          .hardware_threads = topology.hardware_threads,
          .numa_nodes = topology.numa_nodes,
          .usable_threads = usable_threads(),
          .l1_bytes = topology.l1_bytes,
          .l2_bytes = topology.l2_bytes,
          .l3_bytes = topology.l3_bytes,
          .memory_bytes = kilobytes_of(root / "proc/meminfo", "MemTotal"),
          .available_memory_bytes = available_memory_bytes(root),
          .governor = first_line(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
          .transparent_huge_pages =
              bracketed(first_line(root / "sys/kernel/mm/transparent_hugepage/enabled")),
          .load = number_in(first_line(root / "proc/loadavg")),
          .cgroup_cpus = cgroup_limit(root)};
}

std::optional<CpuTicks> read_cpu_ticks(const fs::path& root) {
  constexpr int kStolen = 7;  // user nice system idle iowait irq softirq steal; guest is in user
  const auto line = first_line(root / "proc/stat");
  if (!line || !line->starts_with("cpu ")) return {};
  std::istringstream words(line->substr(4));
  CpuTicks ticks;
  int64_t count = 0;
  for (int i = 0; i <= kStolen; ++i) {
    if (!(words >> count)) return {};
    ticks.total += count;
  }
  ticks.stolen = count;
  return ticks;
}

std::optional<double> stolen_fraction(const std::optional<CpuTicks>& before,
                                      const std::optional<CpuTicks>& after) {
  if (!before || !after || after->total <= before->total) return {};
  return static_cast<double>(after->stolen - before->stolen) /
         static_cast<double>(after->total - before->total);
}

std::optional<int64_t> peak_memory_bytes(const fs::path& root) {
  return kilobytes_of(root / "proc/self/status", "VmHWM");
}

// A container's own limit may leave less than the machine has. Cached files that nobody uses count
// as used there, but make room when it is needed.
std::optional<int64_t> available_memory_bytes(const fs::path& root) {
  const auto machine = kilobytes_of(root / "proc/meminfo", "MemAvailable");
  const fs::path group = root / "sys/fs/cgroup";
  const auto limit = number_in(first_line(group / "memory.max"));
  const auto used = number_in(first_line(group / "memory.current"));
  if (!limit || !used) return machine;
  const double cached = cgroup_statistic(group / "memory.stat", "inactive_file").value_or(0);
  const int64_t left = static_cast<int64_t>(std::max(*limit - *used + cached, 0.0));
  return machine ? std::min(*machine, left) : left;
}

}  // namespace lockstep
