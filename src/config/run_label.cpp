#include "config/run_label.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "base/text.h"
#include "config/run_id.h"
#include "config/run_options.h"

namespace lockstep {
namespace {

constexpr std::string_view kAlwaysTold[] = {"model",   "batch-size", "num-devices",      "engine",
                                            "program", "framework",  "framework-script", "network"};

bool differs(std::span<const RunConfig> runs, const RunOption& option) {
  const std::string first = text_of(runs.front(), option);
  return std::ranges::any_of(runs,
                             [&](const RunConfig& run) { return text_of(run, option) != first; });
}

std::vector<std::string_view> chosen_options(std::span<const RunConfig> runs,
                                             const std::function<bool(const RunOption&)>& chosen) {
  std::vector<std::string_view> names;
  for (const RunOption& option : run_options()) {
    if (!is_identity(option) || std::ranges::count(kAlwaysTold, option.name)) continue;
    if (!runs.empty() && chosen(option)) names.push_back(option.name);
  }
  return names;
}

// A file of this name was changed between runs, or there are two.
bool has_versions_of_a_network(std::span<const RunConfig> runs) {
  std::map<std::string_view, std::string_view> texts;
  return std::ranges::any_of(runs, [&](const RunConfig& run) {
    return texts.try_emplace(run.model, run.network).first->second != run.network;
  });
}

// Of node:4 and [fe80::1]:4; 1 of node and fe80::1.
int slots_of(std::string_view host) {
  const size_t colon = host.rfind(':');
  if (colon == std::string_view::npos) return 1;
  const bool address = host.find(':') != colon && (colon == 0 || host[colon - 1] != ']');
  return address ? 1 : static_cast<int>(whole_number(host.substr(colon + 1)).value_or(1));
}

}  // namespace

std::vector<std::string_view> differing_options(std::span<const RunConfig> runs) {
  std::vector<std::string_view> names =
      chosen_options(runs, [&](const RunOption& option) { return differs(runs, option); });
  if (has_versions_of_a_network(runs)) names.insert(names.begin(), "network");
  return names;
}

std::string setting_text(const RunConfig& run, std::string_view option) {
  constexpr size_t kDigits = 8;
  if (option != "network") return text_of(run, *find_option(option));
  return run.network.empty() ? "" : hash_text(run.network).substr(0, kDigits);
}

std::vector<std::string_view> common_options(std::span<const RunConfig> runs) {
  const RunConfig defaults;
  return chosen_options(runs, [&](const RunOption& option) {
    return !differs(runs, option) && text_of(runs.front(), option) != text_of(defaults, option);
  });
}

std::string engine_label(const RunConfig& run) {
  if (run.framework.ends_with(".py")) return std::filesystem::path(run.framework).stem().string();
  if (has_framework(run)) return run.framework;
  if (!run.program.empty()) return std::filesystem::path(run.program).stem().string();
  return run.dtype == RunConfig{}.dtype ? run.engine : run.engine + " " + run.dtype;
}

// A host runs as many workers as --num-devices says, else as it has slots.
int devices_of(const RunConfig& run) {
  if (run.num_workers) return *run.num_workers;
  if (run.hosts.empty()) return run.num_devices * run.nodes.value_or(1);
  std::vector<std::string> hosts = split(run.hosts, ',');
  const auto used = static_cast<size_t>(run.nodes.value_or(static_cast<int>(hosts.size())));
  int devices = run.num_devices * static_cast<int>(used);
  if (run.num_devices > 1 || used > hosts.size()) return devices;
  devices = 0;
  for (size_t i = 0; i < used; ++i) devices += slots_of(hosts[i]);
  return devices;
}

std::string settings_label(const RunConfig& run, std::span<const std::string_view> options) {
  std::vector<std::string> words;
  for (const std::string_view name : options) {
    const std::string text = setting_text(run, name);
    if (!text.empty()) words.push_back(fmt::format("{}={}", name, text));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string run_label(const RunConfig& run, std::span<const std::string_view> options,
                      std::optional<int> devices) {
  std::string label = fmt::format("{}:{} x{} {}", run.model, run.batch_size,
                                  devices ? *devices : devices_of(run), engine_label(run));
  const std::string settings = settings_label(run, options);
  return settings.empty() ? label : label + " " + settings;
}

}  // namespace lockstep
