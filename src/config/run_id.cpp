#include "config/run_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/fnv1a.h"
#include "config/run_options.h"

namespace lockstep {

std::string canonical_text(const RunConfig& run, std::span<const std::string_view> except) {
  static const RunConfig kDefaults;
  std::map<std::string_view, std::string> settings;
  for (const RunOption& option : run_options()) {
    if (!is_identity(option) || std::ranges::count(except, option.name)) continue;
    std::string text = text_of(run, option);
    if (text != text_of(kDefaults, option)) settings.emplace(option.name, std::move(text));
  }
  std::string result;
  for (const auto& [name, text] : settings) result += fmt::format("{}={}\n", name, text);
  return result;
}

// Among ten thousand runs the chance that two share an id is 3e-12.
std::string hash_text(std::string_view text) { return fmt::format("{:016x}", fnv1a(text)); }

std::string run_id(const RunConfig& run) { return hash_text(canonical_text(run)); }

}  // namespace lockstep
