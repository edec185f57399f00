#include "sim/cluster/hardware_tables.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

// Part of the line rate, and microseconds of a hop as a collective sees it: of software, beside
// one or two of the wire.
constexpr TransportRow kTransports[] = {
    {"rdma", 0.92, 15, "headers; a proxy thread posts each send"},
    {"tcp", 0.80, 60, "headers and copies through the kernel's sockets"},
    {"ipoib", 0.45, 60, "sockets over InfiniBand: one core's copies bound it"},
    {"efa", 0.80, 30, "EC2's own datagrams, reordered by the library"},
    {"aries", 0.90, 10, "Cray's native messages"},
};

// Bus bandwidths that NCCL reaches, as nccl-tests prints them for such nodes.
constexpr NodeLinkRow kNodeLinks[] = {
    {"pcie3", 10, 9, 7, 6, 10, "x16 third generation behind switches; across sockets for eight"},
    {"pcie4", 20, 18, 14, 6, 20, "x16 fourth generation"},
    {"nvlink1", 17, 34, 34, 6, 10, "P100: four links of 20 GB/s; rings in both directions"},
    {"nvlink2", 44, 88, 120, 5, 10, "V100: six links of 25 GB/s"},
    {"nvswitch", 220, 220, 220, 5, 20, "A100: twelve links through switches"},
    {"nvswitch4", 360, 360, 360, 5, 50, "H100: eighteen links through switches"},
    {"shm", 6, 5, 4, 3, 10, "processes of one machine that share memory"},
};

// GB/s over sockets, over any transport and inside a node; then interference: NCCL's kernels occupy
// a few of the 56 to 132 multiprocessors, and read and write the memory that others need.
constexpr LibraryRow kNccl20 = {"nccl", 1.75, 0,
                                0,      0.2,  "until 2.3 one thread serves one socket per peer"};
constexpr LibraryRow kNccl24 = {"nccl", 4.5, 0, 0, 0.2, "since 2.4 several sockets and threads"};
constexpr LibraryRow kLibraries[] = {
    kNccl24,
    {"mpi", 1.0, 0, 2.0, 0, "one thread copies twice through shared memory, and sums"},
    {"openmpi", 0.7, 0.7, 0.7, 0, "ring in host memory: shared-memory copies, one thread sums"},
    {"gloo", 2.0, 3.0, 2.0, 0, "one thread per socket, also inside a node; sums in host memory"},
    {"grpc", 0, 0, 0, 0, "parameter servers only; all-reduces take the device's usual library"},
    {"mlsl", 0, 0, 0, 0, "servers of its own drive the network"},
    {"lockstep", 0, 0, 0, 0, "shared memory in a node, TCP between nodes"},
};

}  // namespace

std::span<const TransportRow> transport_rows() { return kTransports; }
std::span<const NodeLinkRow> node_link_rows() { return kNodeLinks; }
std::span<const LibraryRow> library_rows() { return kLibraries; }

const NodeLinkRow& links_of(const NodeLinks& node) {
  const auto* row = std::ranges::find(kNodeLinks, node.links, &NodeLinkRow::name);
  if (row == std::end(kNodeLinks)) throw UsageError("unknown node.links '{}'", node.links);
  return *row;
}

bool version_below(std::string_view version, int major, int minor) {
  const std::vector<std::string> parts = split(version, '.');
  const auto first = parts.empty() ? std::nullopt : whole_number(parts[0]);
  if (!first) return false;
  const int64_t second = parts.size() > 1 ? whole_number(parts[1]).value_or(0) : 0;
  return *first < major || (*first == major && second < minor);
}

const LibraryRow& library_row(std::string_view name, std::string_view version) {
  if (name == "nccl" && version_below(version, 2, 4)) return kNccl20;
  const auto* row = std::ranges::find(kLibraries, name, &LibraryRow::name);
  if (row == std::end(kLibraries)) throw UsageError("unknown library of collectives '{}'", name);
  return *row;
}

const Transport& transport_of(const Cluster& cluster, std::string_view name) {
  const auto found = cluster.transports.find(std::string(name));
  if (found == cluster.transports.end()) throw UsageError("unknown transport '{}'", name);
  return found->second;
}

}  // namespace lockstep
