#include "sweep/sweep_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "base/error.h"
#include "base/regular_file.h"

namespace lockstep {
namespace {

// A value as text, as on the command line.
std::string text_of(const toml::node& node, const std::string& where) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto truth = node.value_exact<bool>()) return *truth ? "true" : "false";
  if (const auto whole = node.value_exact<int64_t>()) return fmt::to_string(*whole);
  if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
  throw UsageError("{} must be a value or a list of values", where);
}

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

}  // namespace

std::vector<SweepEntry> read_sweep_file(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    throw UsageError("{} is a directory; give a sweep file, and the directory with --output", path);
  }
  if (!std::filesystem::is_regular_file(path)) throw UsageError("{}: no such file", path);
  return sweep_entries_in(read_regular_file(path, {.most_bytes = 1 << 20}), path);
}

std::vector<SweepEntry> sweep_entries_in(const std::string& text, const std::string& path) {
  const toml::parse_result file = toml::parse(text);
  if (!file) {
    throw UsageError("{}:{}: {}", path, file.error().source().begin.line,
                     file.error().description());
  }
  std::vector<SweepEntry> entries;
  for (const auto& [key, node] : file.table()) {
    SweepEntry entry = {.name = std::string(key.str()), .values = {}, .line = line_of(node)};
    std::ranges::replace(entry.name, '_', '-');
    const std::string where = fmt::format("{}:{}: {}", path, entry.line, entry.name);
    if (const toml::array* list = node.as_array()) {
      for (const toml::node& value : *list) entry.values.push_back(text_of(value, where));
    } else {
      entry.values.push_back(text_of(node, where));
    }
    entries.push_back(std::move(entry));
  }
  std::ranges::stable_sort(entries, {}, &SweepEntry::line);
  return entries;
}

}  // namespace lockstep
