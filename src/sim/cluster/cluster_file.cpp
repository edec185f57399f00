#include "sim/cluster/cluster_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/error.h"
#include "base/text.h"
#include "config/toml_reader.h"
#include "nn/zoo.h"
#include "sim/cluster/cluster_keys.h"
#include "sim/cluster/cluster_problems.h"
#include "sim/cluster/hardware_tables.h"

namespace lockstep {
namespace {

constexpr std::pair<std::string_view, EntryKind> kKinds[] = {{"stated", EntryKind::Stated},
                                                             {"measured", EntryKind::Measured},
                                                             {"assumed", EntryKind::Assumed}};

std::string text_of(const toml::node& node) {
  std::ostringstream text;
  node.visit([&](const auto& value) { text << value; });
  return text.str();
}

class Reader : public TomlReader {
 public:
  Reader(Cluster& cluster, std::vector<std::string>& problems)
      : TomlReader(cluster.file, problems), cluster_(cluster) {}

  using TomlReader::read;

  // The value of an entry, whose origin is noted; null: it was refused.
  const toml::node* value_of(const std::string& key, const toml::node& node) {
    EntryNote& note = cluster_.notes[key];
    note.line = line_of(node);
    const toml::table* table = node.as_table();
    if (!table) return note.value = text_of(node), &node;
    int origins = 0;
    for (const auto& [name, inner] : *table) {
      if (name.str() == "value") continue;
      const auto* kind = std::ranges::find(kKinds, name.str(), [](auto& row) { return row.first; });
      const std::string source = inner.value<std::string>().value_or("");
      if (kind == std::end(kKinds) || source.empty() || ++origins > 1) {
        refuse(key, node, R"({ value = ..., stated = "source" }, or measured, or assumed)");
        return nullptr;
      }
      note.kind = kind->second;
      note.source = source;
    }
    const toml::node* value = table->get("value");
    if (!value)
      return refuse(key, node, R"({ value = ..., stated = "source" }: no value)"), nullptr;
    note.value = text_of(*value);
    return value;
  }

  void read(const std::string& key, const toml::node& node, int& target) {
    read(key, node, target, {.most = 10'000'000});
  }
  void read(const std::string& key, const toml::node& node, double& target) {
    read(key, node, target, {.least = 0});
  }
  void read(const std::string& key, const toml::node& node,
            std::vector<std::pair<int, double>>& target) {
    if (node.is_number()) return read(key, node, target.emplace_back(2, 0.0).second);
    for (const auto& row : rows_of(key, node, 2, "a number, or [[devices, GB/s], ...]")) {
      target.emplace_back(static_cast<int>(row[0]), row[1]);
    }
    std::ranges::sort(target);
  }
  void read(const std::string& key, const toml::node& node, std::vector<SizeClass>& target) {
    for (const auto& row : rows_of(key, node, 3, "[[up to MB, latency in us, GB/s], ...]")) {
      target.push_back({.up_to_mb = row[0], .latency_us = row[1], .gbyte = row[2]});
    }
    std::ranges::sort(target, {}, &SizeClass::up_to_mb);
  }

 private:
  std::vector<std::vector<double>> rows_of(const std::string& key, const toml::node& node,
                                           size_t width, std::string_view wanted) {
    std::vector<std::vector<double>> rows;
    const toml::array* all = node.as_array();
    const auto fits = [&](const toml::node& row) {
      return row.is_array() && row.as_array()->size() == width &&
             std::ranges::all_of(*row.as_array(), [](const toml::node& cell) {
               return cell.is_number() && *cell.value<double>() >= 0;
             });
    };
    if (!all || all->empty() || !std::ranges::all_of(*all, fits))
      return refuse(key, node, wanted), rows;
    for (const toml::node& row : *all) {
      std::vector<double>& cells = rows.emplace_back();
      for (const toml::node& cell : *row.as_array()) cells.push_back(*cell.value<double>());
    }
    return rows;
  }

  Cluster& cluster_;
};

// Processes of CPU nodes share memory, NCCL does not reduce on them, and each is a worker of its
// own (GPUs of a node belong to one, as in tf_cnn_benchmarks). Its workers over gRPC end a step
// with a token for every pair of them, each an operation on one queue: about 15 us.
void set_other_defaults(Cluster& cluster) {
  const auto given = [&](const char* key) { return cluster.notes.contains(key); };
  if (cluster.device_kind == "cpu") {
    if (!given("node.links")) cluster.node.links = "shm";
    if (!given("collectives.library")) cluster.collectives.library = "gloo";
    if (!given("servers.workers_per_node")) {
      cluster.servers.workers_per_node = cluster.devices_per_node;
    }
  }
  if (!given("servers.barrier_us") && cluster.collectives.library == "grpc") {
    cluster.servers.barrier_us = 15;
  }
}

constexpr const char* kRates = "images_per_second";

// [images_per_second]: any key of known_rates.h; models as the zoo spells them.
void read_rates(const toml::node& rates, Cluster& cluster, Reader& reader) {
  if (!rates.is_table()) return reader.refuse(kRates, rates, "a table");
  for (const auto& [name, node] : *rates.as_table()) {
    const std::string_view given = name.str();
    const size_t colon = std::min(given.find(':'), given.size());
    const std::string known = known_name(given.substr(0, colon)) + lower_case(given.substr(colon));
    const std::string key = fmt::format("{}.{}", kRates, known);
    if (const toml::node* value = reader.value_of(key, node)) {
      reader.read(key, *value, cluster.images_per_second[known]);
    }
  }
}

std::vector<TomlKey> keys_into(Cluster& cluster, Reader& reader) {
  std::vector<TomlKey> keys;
  const auto key = [&](const std::string& name, auto& member) {
    keys.push_back({name, [name, &member, &reader](const toml::node& node) {
                      if (const toml::node* value = reader.value_of(name, node))
                        reader.read(name, *value, member);
                    }});
  };
  visit_cluster_keys(cluster, key);
  keys.push_back({kRates, [&](const toml::node& node) { read_rates(node, cluster, reader); }});
  return keys;
}

// The defaults of that version, where the file does not set them. Not given: the newest, as of
// NCCL.
void set_horovod(Cluster& cluster) {
  const std::string& version = cluster.schedule.horovod_version;
  const bool cycles = version_below(version, 0, 14), small_buffer = version_below(version, 0, 21);
  if (!cluster.notes.contains("schedule.cycle_ms")) {
    cluster.schedule.cycle_ms = cycles ? 5 : small_buffer ? 3.5 : 1;
  }
  if (!cluster.notes.contains("schedule.fusion_mb")) {
    cluster.schedule.fusion_mb = small_buffer ? 67.108864 : 134.217728;
  }
}

Cluster with_known_transports() {
  Cluster cluster;
  for (const TransportRow& row : transport_rows()) {
    cluster.transports[std::string(row.name)] = {
        .name = std::string(row.name), .efficiency = row.efficiency, .latency_us = row.latency_us};
  }
  return cluster;
}

}  // namespace

std::string_view name_of(EntryKind kind) {
  for (const auto& [name, each] : kKinds) {
    if (each == kind) return name;
  }
  return "";
}

std::vector<std::string> cluster_keys() {
  Cluster cluster = with_known_transports();
  std::vector<std::string> names, problems;
  Reader reader(cluster, problems);
  for (const TomlKey& key : keys_into(cluster, reader)) names.push_back(key.name);
  std::erase(names, kRates);  // its keys are free
  return names;
}

ReadCluster read_cluster(std::string_view text, const std::string& source) {
  ReadCluster result = {.cluster = with_known_transports(), .problems = {}};
  result.cluster.file = source;
  toml::table table;
  try {
    table = toml_in(text, source);
  } catch (const UsageError& error) {  // a problem like others
    result.problems.emplace_back(error.what());
    return result;
  }
  Reader reader(result.cluster, result.problems);
  read_keys(table, keys_into(result.cluster, reader), reader);
  set_horovod(result.cluster);
  set_other_defaults(result.cluster);
  Jitter& jitter = result.cluster.jitter;
  // Nodes whose processors also run the system and the network differ more than GPUs do. This keeps
  // 128 nodes with one rank each at 89.5 % at best; tuned ones differ less: a Xeon cluster reached
  // 15.2 times one node on 16.
  if (jitter.node < 0) jitter.node = result.cluster.device_kind == "cpu" ? 0.03 : 0;
  if (result.problems.empty()) result.problems = problems_in(result.cluster);
  return result;
}

}  // namespace lockstep
