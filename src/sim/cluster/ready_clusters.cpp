#include "sim/cluster/ready_clusters.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/regular_file.h"
#include "sim/cluster/cluster_file.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".toml";

std::string with_dashes(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', '-');
  return text;
}

std::string with_underscores(std::string text) {
  std::ranges::replace(text, '-', '_');
  return text;
}

Cluster checked(ReadCluster read, const std::string& name) {
  if (!read.problems.empty()) throw UsageError("{}", fmt::join(read.problems, "\n"));
  read.cluster.name = name;
  return std::move(read.cluster);
}

Cluster from_file(const fs::path& path) {
  constexpr int64_t kMostBytes = 1 << 20;
  const std::string text =
      read_regular_file(path.string(), {.most_bytes = kMostBytes, .pipes = true});
  return checked(read_cluster(text, path.string()), path.stem().string());
}

}  // namespace

std::vector<std::string> ready_cluster_names() {
  std::vector<std::string> names;
  for (const ReadyCluster& ready : ready_clusters()) names.push_back(with_dashes(ready.name));
  return names;
}

Cluster load_cluster(const std::string& name_or_file, const std::string& directory) {
  if (name_or_file.find('/') != std::string::npos) return from_file(name_or_file);
  const bool has_ending = name_or_file.ends_with(kEnding);
  const std::string name =
      has_ending ? name_or_file.substr(0, name_or_file.size() - kEnding.size()) : name_or_file;
  if (!directory.empty()) {
    for (const std::string& spelling : {name, with_underscores(name), with_dashes(name)}) {
      const fs::path path = fs::path(directory) / (spelling + std::string(kEnding));
      if (fs::exists(path)) return from_file(path);
    }
  }
  if (has_ending && fs::exists(name_or_file)) return from_file(name_or_file);
  if (name == kThisMachine && !has_ending) {
    if (!fs::exists(kCalibratedFile)) {
      throw UsageError("cluster {}: no {} here; run 'lockstep calibrate' first", kThisMachine,
                       kCalibratedFile);
    }
    return from_file(kCalibratedFile);
  }
  for (const ReadyCluster& ready : ready_clusters()) {
    if (with_dashes(ready.name) != with_dashes(name)) continue;
    return checked(read_cluster(ready.text, with_dashes(ready.name)), with_dashes(ready.name));
  }
  if (has_ending) return from_file(name_or_file);  // says why it cannot be read
  throw UsageError("unknown cluster '{}'; use a TOML file, this-machine or one of {}", name,
                   fmt::join(ready_cluster_names(), ", "));
}

}  // namespace lockstep
