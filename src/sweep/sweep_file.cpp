#include "sweep/sweep_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/regular_file.h"
#include "config/toml_reader.h"

namespace lockstep {

std::vector<SweepEntry> read_sweep_file(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    throw UsageError("{} is a directory; give a sweep file, and the directory with --output", path);
  }
  if (!std::filesystem::is_regular_file(path)) throw UsageError("{}: no such file", path);
  return sweep_entries_in(read_regular_file(path, {.most_bytes = 1 << 20}), path);
}

std::vector<SweepEntry> sweep_entries_in(const std::string& text, const std::string& path) {
  const toml::table file = toml_in(text, path);
  std::vector<SweepEntry> entries;
  for (const auto& [key, node] : file) {
    SweepEntry entry = {.name = std::string(key.str()), .values = {}, .line = line_of(node)};
    std::ranges::replace(entry.name, '_', '-');
    const std::string where = fmt::format("{}:{}: {}", path, entry.line, entry.name);
    if (const toml::array* list = node.as_array()) {
      for (const toml::node& value : *list) entry.values.push_back(value_text(value, where));
    } else {
      entry.values.push_back(value_text(node, where));
    }
    entries.push_back(std::move(entry));
  }
  std::ranges::stable_sort(entries, {}, &SweepEntry::line);
  return entries;
}

}  // namespace lockstep
