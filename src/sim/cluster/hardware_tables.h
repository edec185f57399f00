// hardware_tables.h: what is known of links, transports and libraries in general: the defaults of
// a cluster file that does not say. Each row names the reason of its figures.
#pragma once

#include <span>
#include <string_view>

#include "sim/cluster/cluster.h"

namespace lockstep {

struct TransportRow {
  std::string_view name;
  double efficiency, latency_us;
  std::string_view reason;
};
std::span<const TransportRow> transport_rows();

struct NodeLinkRow {
  std::string_view name;
  double pair_gbyte, quad_gbyte, full_gbyte;  // ring over 2, up to 4, and more devices
  double latency_us;
  double host_gbyte;
  std::string_view reason;
};
std::span<const NodeLinkRow> node_link_rows();
const NodeLinkRow& links_of(const NodeLinks& node);

struct LibraryRow {
  std::string_view name;
  double tcp_gbyte;     // most through sockets between two nodes; 0: no cap of its own
  double any_gbyte;     // most over any transport; 0: none
  double inside_gbyte;  // most inside a node, through host memory; 0: what its links carry
  double interference;  // see StepSchedule
  std::string_view reason;
};
// `version` matters to NCCL: "2.3".
const LibraryRow& library_row(std::string_view name, std::string_view version);
std::span<const LibraryRow> library_rows();

// NCCL 2.4 and later build trees beside rings. Versions that are not given are new.
bool version_below(std::string_view version, int major, int minor);

// The transport as the cluster has it: its own entry, or the row of that name.
const Transport& transport_of(const Cluster& cluster, std::string_view name);

}  // namespace lockstep
