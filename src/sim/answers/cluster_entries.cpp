#include "sim/answers/cluster_entries.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "sim/cluster/cluster_keys.h"
#include "sim/cluster/hardware_tables.h"
#include "sync/sync_options.h"

namespace lockstep {
namespace {

std::string text_of(const std::string& value) { return value; }
std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(int value) { return fmt::to_string(value); }
std::string text_of(double value) { return fmt::format("{:.6g}", value); }
std::string text_of(const std::vector<std::pair<int, double>>& rows) {
  std::vector<std::string> parts;
  for (const auto& [devices, gbyte] : rows)
    parts.push_back(fmt::format("[{}, {:.6g}]", devices, gbyte));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}
std::string text_of(const std::vector<SizeClass>& rows) {
  std::vector<std::string> parts;
  for (const SizeClass& each : rows) {
    parts.push_back(
        fmt::format("[{:.6g}, {:.6g}, {:.6g}]", each.up_to_mb, each.latency_us, each.gbyte));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string cap_of(const LibraryRow& row) {
  std::vector<std::string> caps;
  if (row.tcp_gbyte > 0) caps.push_back(fmt::format("{:.6g} over TCP", row.tcp_gbyte));
  if (row.any_gbyte > 0) caps.push_back(fmt::format("{:.6g} over others", row.any_gbyte));
  return caps.empty() ? "no cap" : fmt::format("{}", fmt::join(caps, ", "));
}

using Texts = std::map<std::string, std::string>;

// Of members whose default is worked out from others: what it comes to.
Texts worked_out(const Cluster& cluster) {
  constexpr double kMebi = 1 << 20;
  const NodeLinkRow& links = links_of(cluster.node);
  const LibraryRow& library = library_row(cluster.collectives.library, cluster.collectives.version);
  Texts texts = {
      {"price_per_node_hour", "none"},
      {"calibrated_devices", "none"},
      {"device.name", "not given"},
      {"node.ring_gbyte", fmt::format("{:.6g}; 3 and 4 devices {:.6g}; more {:.6g}",
                                      links.pair_gbyte, links.quad_gbyte, links.full_gbyte)},
      {"node.latency_us", text_of(links.latency_us)},
      {"node.host_gbyte", text_of(links.host_gbyte)},
      {"node.cores", "input never limits"},
      {"network.line_gbit", "no network"},
      {"network.rack_nodes", "one switch"},
      {"collectives.version", "the newest"},
      {"collectives.gbyte", cap_of(library)},
      {"collectives.sizes", "the formula"},
      {"schedule.horovod_version", "the newest"},
      {"schedule.bucket_mb", text_of(static_cast<double>(SyncOptions{}.bucket_bytes) / kMebi)},
      {"schedule.interference", text_of(library.interference)},
      {"servers.count", "one per node"},
      {"servers.stream_gbyte", "no cap"},
      {"servers.gbyte", "the network's"}};
  if (library.inside_gbyte > 0) {
    texts["node.ring_gbyte"] +=
        fmt::format("; {} at most {:.6g}", library.name, library.inside_gbyte);
  }
  for (const auto& [name, transport] : cluster.transports) {
    const double line = cluster.network.line_gbit * cluster.network.interfaces / 8;
    texts["transport." + name + ".flow_gbit"] = "no cap";
    texts["transport." + name + ".gbyte"] = text_of(transport.efficiency * line);
  }
  return texts;
}

// Why a default is what it is, where a table of hardware says so.
Texts reasons(const Cluster& cluster) {
  const NodeLinkRow& links = links_of(cluster.node);
  const LibraryRow& library = library_row(cluster.collectives.library, cluster.collectives.version);
  Texts texts;
  for (const char* key : {"node.ring_gbyte", "node.latency_us", "node.host_gbyte"}) {
    texts[key] = fmt::format("{}: {}", links.name, links.reason);
  }
  for (const char* key : {"collectives.gbyte", "schedule.interference"}) {
    texts[key] = fmt::format("{}: {}", library.name, library.reason);
  }
  for (const TransportRow& row : transport_rows()) {
    for (const char* key : {"efficiency", "latency_us"}) {
      texts[fmt::format("transport.{}.{}", row.name, key)] = row.reason;
    }
  }
  return texts;
}

bool is_unset(const std::string& value) { return value.empty(); }
template <typename Row>
bool is_unset(const std::vector<Row>& rows) {
  return rows.empty();
}
bool is_unset(bool) { return false; }
template <typename Number>
bool is_unset(Number value) {
  return value <= 0;
}

}  // namespace

std::vector<ClusterEntry> entries_of(const Cluster& cluster) {
  const Texts derived = worked_out(cluster), why = reasons(cluster);
  const std::string own_transport = "transport." + cluster.network.transport + ".";
  const auto found = [](const Texts& texts, const std::string& key) {
    const auto at = texts.find(key);
    return at == texts.end() ? "" : at->second;
  };
  std::vector<ClusterEntry> entries;
  const auto add = [&](const std::string& key, const auto& member) {
    if (const auto note = cluster.notes.find(key); note != cluster.notes.end()) {
      entries.push_back(
          {key, text_of(member), std::string(name_of(note->second.kind)), note->second.source});
    } else if (!key.starts_with("transport.") || key.starts_with(own_transport)) {
      const std::string text = is_unset(member) ? found(derived, key) : "";
      entries.push_back({key, text.empty() ? text_of(member) : text, "default", found(why, key)});
    }
  };
  visit_cluster_keys(cluster, add);
  for (const auto& [model, rate] : cluster.images_per_second) {
    add("images_per_second." + model, rate);
  }
  std::erase_if(entries, [](const ClusterEntry& each) { return each.key == "description"; });
  return entries;
}

}  // namespace lockstep
