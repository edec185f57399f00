#include "doctor/host_checks.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/network_interface.h"
#include "config/json.h"
#include "doctor/gpu_checks.h"
#include "launch/mpirun.h"

namespace lockstep {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr const char* kNotShown = "not available on this machine";

std::optional<double> number(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number() ? std::optional(found->get<double>())
                                                   : std::nullopt;
}
std::string text(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

// Over all hosts that have the value.
double median_of(const HostSurvey& all, std::optional<double> (*value)(const HostReport&)) {
  std::vector<double> values;
  for (const HostReport& host : all.hosts) {
    if (const auto each = value(host)) values.push_back(*each);
  }
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::optional<double> flops_of(const HostReport& host) { return number(host.compute, "flops"); }

std::string most_common(const HostSurvey& all, std::string (*value)(const HostReport&)) {
  std::vector<std::string> values;
  for (const HostReport& host : all.hosts) {
    if (host.unreachable.empty()) values.push_back(value(host));
  }
  std::string best;
  for (const std::string& each : values) {
    if (std::ranges::count(values, each) > std::ranges::count(values, best)) best = each;
  }
  return best;
}

std::string cpu_of(const HostReport& host) {
  return fmt::format("{}, {} cores, {}", text(host.facts, "cpu_model"),
                     number(host.facts, "usable_threads").value_or(0),
                     fmt::join(host.facts.value("isa", std::vector<std::string>{}), " "));
}

Finding check_version(const HostReport& host, const CheckContext& context) {
  const std::string version = text(host.facts, "version");
  const std::string what = fmt::format("lockstep {} ({})", version, text(host.facts, "program"));
  if (version != context.version || text(host.facts, "program") != context.program) {
    return {Level::Problem, what,
            fmt::format(
                "here it is {} ({}); install the same version on all hosts, or use --hosts, which "
                "deploys it",
                context.version, context.program)};
  }
  return {Level::Ok, what};
}

Finding check_cpu(const HostReport& host, const CheckContext& context) {
  const std::string own = cpu_of(host);
  if (own == most_common(context.all, cpu_of)) return {Level::Ok, own};
  return {Level::Warning, own, "differs from most hosts; the slowest host sets the step time"};
}

Finding check_memory(const HostReport& host, const CheckContext&) {
  const auto free = number(host.facts, "available_memory_bytes");
  if (!free) return {};
  const std::string what = fmt::format("{:.1f} GiB free", *free / kGiB);
  if (*free < 0.5 * kGiB) return {Level::Problem, what, "stop processes that use memory there"};
  if (*free < 2 * kGiB) return {Level::Warning, what, "use small batches only"};
  return {Level::Ok, *free > 8 * kGiB ? "more than 8 GiB free" : what};
}

Finding check_disk(const HostReport& host, const CheckContext&) {
  const auto free = number(host.facts, "disk_free_bytes");
  if (!free || *free < 0) return {};
  if (*free < 0.1 * kGiB) {
    return {Level::Problem, fmt::format("{:.0f} MiB free", *free / 1024 / 1024),
            "free disk space, or choose another --remote-dir"};
  }
  if (*free < kGiB) {
    return {Level::Warning, fmt::format("{:.1f} GiB free", *free / kGiB),
            "logs and traces need disk space"};
  }
  return {Level::Ok, "more than 1 GiB free"};
}

Finding check_clock(const HostReport& host, const CheckContext& context) {
  if (!host.clock_offset || context.reach_advice.empty()) return {};
  const double off = *host.clock_offset, unsure = host.clock_uncertainty.value_or(0);
  if (std::abs(off) <= unsure + 0.05) return {Level::Ok, "same as here, within measurement error"};
  return {std::abs(off) > 1 ? Level::Warning : Level::Ok,
          fmt::format("{:+.2f} s (within {:.2f} s)", off, unsure),
          std::abs(off) > 1
              ? "set up NTP; results are not affected, but timestamps of logs and files differ"
              : ""};
}

Finding check_interfaces(const HostReport& host, const CheckContext& context) {
  std::vector<std::string> names;
  std::string last;
  for (const Json& each : host.facts.value("interfaces", Json::array())) {
    const auto speed = number(each, "mbit_per_second");
    const std::string name = text(each, "name");
    if (std::exchange(last, name) == name) continue;  // it has several addresses
    names.push_back(speed ? fmt::format("{} {:.0f} Mbit/s", name, *speed) : name);
  }
  if (names.empty() && context.all.hosts.size() > 1) {
    return {Level::Problem, "loopback only", "the host cannot reach the other hosts"};
  }
  return {Level::Ok, fmt::format("{}", fmt::join(names, ", "))};
}

// All hosts connect to the first one by its name, and so does the first host itself.
Finding check_own_name(const HostReport& host, const CheckContext& context) {
  const std::string way = text(host.facts, "way_to_itself"), own = text(host.facts, "host");
  const bool keeps_store = &host == &context.all.hosts.front();
  const bool has_others = std::ranges::any_of(context.all.hosts, [&](const HostReport& other) {
    return other.unreachable.empty() && text(other.facts, "host") != own;
  });
  if (!keeps_store || !has_others || way.empty()) return {};
  if (!is_loopback(way)) return {Level::Ok, "resolves to " + way};
  return {Level::Problem, fmt::format("{} resolves to {} there", host.name, way),
          "the other hosts connect to it: set its network address in its /etc/hosts, or choose one "
          "with --interface"};
}

Finding check_governor(const HostReport& host, const CheckContext&) {
  const std::string governor = text(host.facts, "governor");
  if (governor.empty()) return {Level::Ok, kNotShown};
  if (governor == "performance") return {Level::Ok, governor};
  return {Level::Warning, governor, "cpupower frequency-set -g performance"};
}

Finding check_huge_pages(const HostReport& host, const CheckContext&) {
  const std::string pages = text(host.facts, "transparent_huge_pages");
  if (pages != "never") return {Level::Ok, pages.empty() ? kNotShown : pages};
  return {Level::Warning, pages,
          "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled: large arrays are faster"};
}

Finding check_load(const HostReport& host, const CheckContext&) {
  const auto load = number(host.facts, "load"), cores = number(host.facts, "usable_threads");
  if (!load || !cores) return {};
  if (*load <= 0.3 * *cores) return {Level::Ok, "idle"};
  return {Level::Warning, fmt::format("{:.1f} on {:.0f} cores", *load, *cores),
          "other processes are running there; results will be too slow"};
}

Finding check_steal(const HostReport& host, const CheckContext&) {
  const auto stolen = number(host.compute, "stolen");
  if (!stolen) return {};
  if (*stolen < 0.02) return {Level::Ok, *stolen < 0.005 ? "none" : "below 2 %"};
  return {Level::Warning, fmt::format("{:.0f} % of processor time", *stolen * 100),
          "taken by other virtual machines; use dedicated instances"};
}

Finding check_quota(const HostReport& host, const CheckContext&) {
  const auto quota = number(host.facts, "cgroup_cpus"),
             cores = number(host.facts, "usable_threads");
  if (!quota || !cores) return {Level::Ok, "none"};
  if (*quota >= *cores) return {Level::Ok, fmt::format("{:.1f} cores", *quota)};
  return {Level::Warning, fmt::format("{:.1f} of {:.0f} cores", *quota, *cores),
          "the container is throttled: lower --threads, or give it whole cores"};
}

Finding check_places(const HostReport& host, const CheckContext&) {
  const auto cores = number(host.facts, "usable_threads");
  if (!cores) return {};
  const std::string what = fmt::format("{} worker{} on {:.0f} cores", host.workers,
                                       host.workers == 1 ? "" : "s", *cores);
  if (host.workers <= *cores) return {Level::Ok, what};
  return {Level::Warning, what, "more workers than cores; use fewer workers (-g)"};
}

// For a program that only one launcher needs.
Finding check_program(const HostReport& host, const char* program, const std::string& launcher) {
  const Json& answer = host.programs.value(program, Json::object());
  const std::string version = text(answer, "version"), complaint = text(answer, "complaint");
  if (!version.empty()) return {Level::Ok, version};
  if (complaint.empty()) {
    return {Level::Ok, fmt::format("none (only --launcher {} needs it)", launcher)};
  }
  return {Level::Warning, fmt::format("does not work: {}", complaint),
          fmt::format("fix it, or ignore it: only --launcher {} needs it", launcher)};
}

Finding check_mpi(const HostReport& host, const CheckContext& context) {
  Finding finding = check_program(host, "mpirun", "mpirun");
  const std::string version = text(host.programs.value("mpirun", Json::object()), "version");
  if (version.empty()) return finding;
  if (context.mpi.empty()) {
    finding.what += "; this lockstep was built without MPI: start it by --launcher mpirun";
  } else if (!fits(version, context.mpi)) {
    return {Level::Warning, fmt::format("{}; lockstep is linked with {}", version, context.mpi),
            fmt::format("use the mpirun of {}, or --hosts", context.mpi)};
  }
  return finding;
}

Finding check_slurm(const HostReport& host, const CheckContext&) {
  return check_program(host, "srun", "slurm");
}

// Only of a run with --framework.
Finding check_framework(const HostReport& host, const CheckContext&) {
  if (!host.frameworks.is_array() || host.frameworks.empty()) return {};
  const Json& found = host.frameworks.front();
  const std::string name = text(found, "name"), problem = text(found, "problem");
  if (!problem.empty()) {
    return {Level::Problem, fmt::format("{}: {}", name, problem),
            "install it on every host, or name its Python with --python"};
  }
  return {Level::Ok,
          fmt::format("{} {} ({})", name, text(found, "version"), text(found, "devices"))};
}

Finding check_compute(const HostReport& host, const CheckContext& context) {
  const auto flops = flops_of(host);
  if (!flops) return {};
  if (context.all.hosts.size() == 1) {
    return {Level::Ok, fmt::format("{:.0f} GFLOP/s in a simple loop on all cores, for comparing "
                                   "hosts; training is much faster",
                                   *flops * 1e-9)};
  }
  const double usual = median_of(context.all, flops_of);
  if (*flops >= 0.85 * usual) return {Level::Ok, "as fast as the other hosts"};
  return {Level::Warning, fmt::format("{:.0f} % of the median speed", 100 * *flops / usual),
          "slow host: check temperature, power limits and other processes"};
}

constexpr Check kChecks[] = {
    {"version", true, check_version},
    {"processor", true, check_cpu},
    {"places", true, check_places},
    {"memory", true, check_memory},
    {"disk", true, check_disk},
    {"clock", true, check_clock},
    {"interfaces", true, check_interfaces},
    {"own name", false, check_own_name},
    {"governor", true, check_governor},
    {"huge pages", true, check_huge_pages},
    {"load", true, check_load},
    {"quota", true, check_quota},
    {"stolen time", false, check_steal},
    {"compute", false, check_compute},
    {"MPI", false, check_mpi},
    {"Slurm", false, check_slurm},
    {"framework", true, check_framework},
    {"GPUs", true, check_gpu_models},
    {"GPU driver", true, check_gpu_drivers},
    {"GPU memory", true, check_gpu_memory_errors},
    {"GPU clocks", true, check_gpu_throttling},
    {"GPU peers", true, check_gpu_peers},
    {"NCCL", false, check_nccl},
};

void add(std::vector<CheckRow>& rows, std::string_view check, const std::string& host,
         Finding finding) {
  const auto same = std::ranges::find_if(rows, [&](const CheckRow& row) {
    return row.check == check && row.finding.level == finding.level &&
           row.finding.what == finding.what;
  });
  if (same != rows.end()) return same->hosts.push_back(host);
  rows.push_back({std::string(check), {host}, std::move(finding)});
}

std::vector<CheckRow> rows_of_readable(const CheckContext& context, bool thorough) {
  std::vector<CheckRow> rows;
  for (const HostReport& host : context.all.hosts) {
    const bool reached = host.unreachable.empty();
    add(rows, "reachable", host.name,
        reached ? Finding{Level::Ok, "yes"}
                : Finding{Level::Problem, host.unreachable,
                          host.advice.empty() ? context.reach_advice : host.advice});
  }
  for (const Check& check : kChecks) {
    for (const HostReport& host : context.all.hosts) {
      if (!host.unreachable.empty() || (!check.cheap && !thorough)) continue;
      Finding finding = check.find(host, context);
      if (!finding.what.empty()) add(rows, check.name, host.name, std::move(finding));
    }
  }
  return rows;
}

// Without the answers of hosts that no check can read: a host may say anything.
HostSurvey readable_part(const CheckContext& context, bool thorough) {
  HostSurvey readable = {.hosts = {}, .links = {}};
  for (const HostReport& host : context.all.hosts) {
    const HostSurvey alone = {.hosts = {host}, .links = {}};
    try {
      rows_of_readable(context.of(alone), thorough);
      readable.hosts.push_back(host);
    } catch (const Json::exception&) {
      readable.hosts.push_back({.name = host.name,
                                .unreachable = kUnreadable,
                                .advice = "install the same version of lockstep there"});
    }
  }
  return readable;
}

}  // namespace

std::string_view name_of(Level level) {
  constexpr std::string_view kNames[] = {"ok", "warning", "problem"};
  return kNames[static_cast<size_t>(level)];
}

std::span<const Check> host_checks() { return kChecks; }

std::vector<CheckRow> rows_for(const CheckContext& context, bool thorough) {
  const HostSurvey readable = readable_part(context, thorough);
  return rows_of_readable(context.of(readable), thorough);
}

}  // namespace lockstep
