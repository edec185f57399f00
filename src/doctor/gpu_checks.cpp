#include "doctor/gpu_checks.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "config/json.h"

namespace lockstep {
namespace {

Json gpus_of(const HostReport& host) {
  return host.facts.is_object() ? host.facts.value("gpus", Json::array()) : Json::array();
}

bool any_gpu(const CheckContext& context) {
  return std::ranges::any_of(context.all.hosts,
                             [](const HostReport& host) { return !gpus_of(host).empty(); });
}

// "8 x NVIDIA H100, 80.0 GB, 700 W"; different ones one after the other.
std::string models_of(const HostReport& host) {
  std::map<std::string, int> counts;
  for (const Json& gpu : gpus_of(host)) {
    std::string text = gpu.value("name", "");
    if (gpu.at("memory_bytes").is_number()) {
      text += ", " + bytes_text(gpu.at("memory_bytes").get<int64_t>());
    }
    if (gpu.at("power_limit_watts").is_number()) {
      text += fmt::format(", {:.0f} W", gpu.at("power_limit_watts").get<double>());
    }
    ++counts[text];
  }
  std::vector<std::string> parts;
  for (const auto& [text, count] : counts) parts.push_back(fmt::format("{} x {}", count, text));
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, "; "));
}

std::string driver_of(const HostReport& host) {
  const Json gpus = gpus_of(host);
  return gpus.empty() ? "" : gpus.front().value("driver", "");
}

// The text that most hosts have; of equally many, the first host's.
std::string usual(const CheckContext& context, std::string (*text_of)(const HostReport&)) {
  std::vector<std::string> texts;
  for (const HostReport& host : context.all.hosts) {
    if (host.unreachable.empty() && !text_of(host).empty()) texts.push_back(text_of(host));
  }
  std::string best;
  for (const std::string& text : texts) {
    if (std::ranges::count(texts, text) > std::ranges::count(texts, best)) best = text;
  }
  return best;
}

Finding same_everywhere(const HostReport& host, const CheckContext& context,
                        std::string (*text_of)(const HostReport&), const char* advice) {
  const std::string own = text_of(host);
  if (own == usual(context, text_of)) return {Level::Ok, own};
  return {Level::Warning, own, advice};
}

// The GPUs of which `fault` says something: "GPU 1 (0000:65:00.0): 3 errors".
template <typename Fault>
std::vector<std::string> faults_of(const HostReport& host, const Fault& fault) {
  std::vector<std::string> faults;
  int number = 0;
  for (const Json& gpu : gpus_of(host)) {
    const std::string what = fault(gpu);
    const int own = number++;
    if (what.empty()) continue;
    faults.push_back(fmt::format("GPU {} ({}): {}", own, gpu.value("pci_address", ""), what));
  }
  return faults;
}

// The median of all hosts that have as many GPUs, in bytes per second.
double usual_nccl_speed(const HostReport& host, const CheckContext& context) {
  std::vector<double> speeds;
  for (const HostReport& other : context.all.hosts) {
    if (!other.nccl.is_object() || other.nccl.contains("error")) continue;
    if (other.nccl.at("gpus") == host.nccl.at("gpus")) {
      speeds.push_back(other.nccl.at("bytes_per_second").get<double>());
    }
  }
  std::ranges::sort(speeds);
  return speeds.empty() ? 0 : speeds[speeds.size() / 2];
}

}  // namespace

Finding check_gpu_models(const HostReport& host, const CheckContext& context) {
  if (gpus_of(host).empty() && context.wants_gpus) {
    return {Level::Warning, "none found",
            "only NVIDIA's are found, by the library of their driver"};
  }
  if (!any_gpu(context)) return {};
  const std::string models = models_of(host);
  if (models.find("; ") != std::string::npos) {
    return {Level::Warning, models,
            "different GPUs in one host; the slowest one sets the step time"};
  }
  if (host.workers > std::ssize(gpus_of(host)) && context.wants_gpus) {
    return {Level::Problem,
            fmt::format("{} for {}", count_text(std::ssize(gpus_of(host)), "GPU"),
                        count_text(host.workers, "worker")),
            "use fewer workers there (-g), or leave the host out"};
  }
  return same_everywhere(host, context, models_of,
                         "differs from most hosts; the slowest GPU sets the step time");
}

Finding check_gpu_drivers(const HostReport& host, const CheckContext& context) {
  if (driver_of(host).empty()) return {};
  return same_everywhere(host, context, driver_of,
                         "differs from most hosts; install the same driver on all of them");
}

Finding check_gpu_memory_errors(const HostReport& host, const CheckContext&) {
  const auto faults = faults_of(host, [](const Json& gpu) -> std::string {
    const Json errors = gpu.at("uncorrected_ecc_errors");
    if (!errors.is_number() || errors.get<int64_t>() == 0) return "";
    return count_text(errors.get<int64_t>(), "uncorrected error");
  });
  if (gpus_of(host).empty()) return {};
  if (faults.empty()) return {Level::Ok, "no uncorrected errors"};
  return {Level::Problem, fmt::format("{}", fmt::join(faults, "; ")),
          "results may be wrong: reset the GPU (nvidia-smi -r), and replace it if errors return"};
}

Finding check_gpu_throttling(const HostReport& host, const CheckContext&) {
  const auto faults = faults_of(host, [](const Json& gpu) {
    return fmt::format("{}", fmt::join(gpu.value("throttled", std::vector<std::string>{}), ", "));
  });
  if (gpus_of(host).empty()) return {};
  if (faults.empty()) return {Level::Ok, "not throttled"};
  return {Level::Warning, fmt::format("throttled: {}", fmt::join(faults, "; ")),
          "check cooling and power limits (nvidia-smi -q -d PERFORMANCE)"};
}

Finding check_gpu_peers(const HostReport& host, const CheckContext&) {
  if (gpus_of(host).size() < 2) return {};
  const auto faults = faults_of(host, [](const Json& gpu) -> std::string {
    const auto without = gpu.value("no_peer_access_to", std::vector<int>{});
    return without.empty() ? "" : fmt::format("not to GPU {}", fmt::join(without, ", "));
  });
  if (faults.empty()) return {Level::Ok, "every GPU reads every other one directly"};
  return {Level::Warning, fmt::format("no peer access: {}", fmt::join(faults, "; ")),
          "gradients pass through host memory: check the topology (nvidia-smi topo -p2p r), ACS "
          "and IOMMU settings"};
}

Finding check_nccl(const HostReport& host, const CheckContext& context) {
  if (!host.nccl.is_object()) return {};
  const std::string gpus = count_text(host.nccl.at("gpus").get<int>(), "GPU");
  if (host.nccl.contains("error")) {
    return {Level::Warning, fmt::format("{}: {}", gpus, host.nccl.at("error").get<std::string>()),
            "run 'lockstep allreduce --device cuda' there; NCCL_DEBUG=INFO tells more"};
  }
  constexpr double kSlow = 0.8;
  const double speed = host.nccl.at("bytes_per_second"), usual = usual_nccl_speed(host, context);
  const std::string what = fmt::format("{}, {:.1f} GB/s bus bandwidth", gpus, speed * 1e-9);
  if (speed >= kSlow * usual) return {Level::Ok, what};
  return {Level::Warning, what,
          fmt::format("the other hosts have {:.1f} GB/s: check NVLink (nvidia-smi nvlink -s), PCI "
                      "Express width and topology",
                      usual * 1e-9)};
}

}  // namespace lockstep
