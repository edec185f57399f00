// cluster.h: a cluster as a cluster file describes it: nodes, links, software, noise.
//
// Units are those of the file: Gbit/s for line rates, GB/s (10^9 bytes) for what software reaches,
// microseconds for latencies. collective_cost.h turns them into bytes and seconds.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lockstep {

// Where an entry of the file comes from.
enum class EntryKind { Stated, Measured, Assumed };
std::string_view name_of(EntryKind kind);  // "stated"

struct EntryNote {
  EntryKind kind = EntryKind::Assumed;
  std::string source = {};  // "Horovod README of 2017-09-05"; empty: none was given
  int line = 0;             // of the file
  std::string value = {};   // as the file has it
};

// How bytes cross the network. A row of transport_rows(), changed by [transport.NAME] of the file.
struct Transport {
  std::string name;
  double efficiency = 0.8;  // of the line rate
  double latency_us = 60;   // one hop, as a collective sees it
  double flow_gbit = 0;     // cap of one connection; 0: none
  int flows = 0;            // connections that a ring opens between two nodes; 0: the library's
  double gbyte = 0;         // reached between two nodes; 0: efficiency * line rate
};

// A hop of a ring that carries up to this size takes `latency_us` + bytes / gbyte. Written by
// `calibrate`.
struct SizeClass {
  double up_to_mb = 0;
  double latency_us = 0;
  double gbyte = 0;
};

struct NodeLinks {
  std::string links = "pcie3";                       // a row of node_link_rows(); CPU nodes: shm
  std::vector<std::pair<int, double>> ring_gbyte{};  // by number of devices: bus bandwidth
  double latency_us = 0;                             // one hop of a ring; 0: that of `links`
  double host_gbyte = 0;       // variables in host memory, to and from one device
  double shared_slowdown = 0;  // of each device when all of a node compute
  double others_slowdown = 0;  // of each device when other nodes compute: hosts on one machine
  int cores = 0;               // of the node, which decode images
};

struct NetworkLinks {
  double line_gbit = 0;  // one interface, one direction
  int interfaces = 1;    // per node
  std::string transport = "tcp";
  // Deviation between links, as a ring runs at its slowest: those of one network measured with
  // iperf or nccl-tests differ by 5 to 10 %, by routes, other traffic and the processor they end
  // at.
  double spread = 0.075;
  int rack_nodes = 0;  // 0: one switch
  double oversubscription = 1;
  std::string rank_order = "by_node";  // or "shuffled"
};

struct Collectives {
  std::string library = "nccl";  // a row of library_rows(); of CPU nodes gloo, unless given
  std::string version = "";      // "2.3"; empty: unknown, the newest
  std::string algorithm = "auto";
  double gbyte = 0;  // most that the library moves through one node's network; 0: that of its row
  std::vector<SizeClass> sizes = {};  // measured between these nodes; empty: the formula
};

struct StepSchedule {
  std::string scheduler = "auto";    // auto: as the strategy and the framework do it
  std::string horovod_version = "";  // "0.16": sets the next two; empty: the newest
  double fusion_mb = 134.217728;     // Horovod's buffer
  double cycle_ms = 1;
  double bucket_mb = 0;  // 0: the trainer's default
  double tensor_us = 0;  // fixed cost of every tensor
  double collective_us = 0;
  // Hooks, launches and copies into buckets, a part of the one-device step: usual are 1 to 3 %.
  double overhead = 0.02;
  // Part of the time of collectives beside backward by which it is slower: their kernels take
  // multiprocessors and memory bandwidth. < 0: that of the library.
  double interference = -1;
};

// Defaults: a core adds gradients in memory at about 10 GB/s; between processes of a host they are
// copied twice, at about 4 GB/s (the row shm). A forward pass needs the values of its first layers
// at once, so little of fetching hides behind it; of reading back a part does.
struct ParameterServers {
  int count = 0;            // 0: one per node
  bool on_workers = true;   // false: nodes of their own
  double stream_gbyte = 0;  // one worker to one server; 0: no cap below the network's rate
  double gbyte = 10;        // all workers to one server, which sums in host memory
  double loopback_gbyte = 4;
  double request_us = 0;      // a worker's wait for each variable that it fetches, beside its bytes
  double barrier_us = 0;      // per pair of workers: tokens of the step's end; gRPC: 15
  double hidden_pull = 0.2;   // part of forward that pulls overlap with
  double exposed_read = 0.6;  // part of the read-back that a step waits for
  int workers_per_node = 1;   // processes that fetch and send; on CPU nodes every device is one
  double interference = 0;    // part of the pushes' time beside backward by which it is slower
};

// Of the steps of one GPU without other work 0.5 to 1 % are usual.
struct Jitter {
  double rank = 0.0075;  // deviation of a rank's step, a part of it
  double node = -1;      // of nodes, which stay slow; < 0: that of GPU or CPU nodes
};

struct InputRate {
  double images_per_core_second = 300;  // ImageNet: about 3 ms each to decode, distort and resize
};

struct Cluster {
  std::string name, description, file;
  int nodes = 0, devices_per_node = 1;
  double price_per_node_hour = 0;  // 0: not given
  int calibrated_devices = 0;      // of the largest run behind the file; 0: none was measured
  std::string device_kind = "gpu", device_name = {};
  NodeLinks node;
  NetworkLinks network;
  std::map<std::string, Transport> transports;
  Collectives collectives;
  StepSchedule schedule;
  ParameterServers servers;
  Jitter jitter;
  InputRate input;
  std::map<std::string, double> images_per_second;  // of one device: known_rates.h
  std::map<std::string, EntryNote> notes;           // by key, "network.line_gbit"

  int devices() const { return nodes * devices_per_node; }
  bool measured(const std::string& key) const {
    const auto note = notes.find(key);
    return note != notes.end() && note->second.kind == EntryKind::Measured;
  }
};

}  // namespace lockstep
