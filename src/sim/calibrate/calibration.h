// calibration.h: what measurements on a cluster say about the entries of its cluster file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/results/run_result.h"
#include "sim/cluster/cluster.h"

namespace lockstep {

struct AllReduceTime {
  double bytes = 0, seconds = 0;  // median
};

// A line through the times of one class of sizes: seconds = latency + bytes / rate.
struct SizeFit {
  double up_to_bytes = 0;
  double latency = 0;  // seconds of the whole all-reduce
  double bytes_per_second = 0;
  double residual = 0;  // root mean square of relative errors
  int samples = 0;
};

// Classes end at 64 KiB, 1 MiB and the largest size. Relative errors are minimised. At least two
// sizes; throws UsageError otherwise.
std::vector<SizeFit> fit_sizes(std::span<const AllReduceTime> times);

// As hops of a ring over so many ranks, in classes of a hop's size: those hold for other rings,
// too.
std::vector<SizeClass> hops_of(std::span<const SizeFit> fits, int ranks);

// About 60 variables of a few KiB: what a server takes for each shows beside their bytes.
inline constexpr std::string_view kManyVariables = "resnet20";

// What `calibrate` measured. The runs are of the same model, batch size and threads, but for the
// two that say otherwise.
struct CalibrationRuns {
  RunResult one;                     // one device
  RunResult all;                     // all devices, all-reduce
  RunResult independent;             // all devices, no communication
  std::optional<RunResult> servers;  // all devices, parameter servers
  // The same two of a network of many small variables: one device, and parameter servers.
  std::optional<RunResult> many_one = {}, many_servers = {};
  std::vector<AllReduceTime> all_reduce;      // over all ranks
  std::vector<AllReduceTime> inside_node;     // over the ranks of one node; empty: one, or all
  std::vector<AllReduceTime> two_nodes = {};  // one rank on each; empty: `all_reduce` is that
  std::string transport = "tcp";              // a row of transport_rows(), between these nodes
  std::string when;                           // "2026-11-18"
};

// NCCL and MPI use what adapters a host has; our own communicators use TCP.
bool chooses_transport(const std::string& communicator);

struct CalibratedCluster {
  Cluster cluster;
  std::string text;                // TOML: every entry with its origin
  std::vector<std::string> notes;  // what could not be identified, residuals
};
CalibratedCluster calibrated(const CalibrationRuns& runs);

}  // namespace lockstep
