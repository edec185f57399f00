// scenario.h: one training run on a cluster, and what is predicted of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/cluster/cluster.h"
#include "sim/model/workload.h"

namespace lockstep {

enum class UpdateKind { Independent, AllReduce, ParameterServer, DistributedReplicated };

// What is not set comes from the cluster.
struct Scenario {
  UpdateKind update = UpdateKind::AllReduce;
  std::string strategy = "replicated";  // as --variable-update names it
  int batch = 64;                       // per device
  double one_device_step = 0;           // seconds
  int devices = 1;
  int per_node = 0;            // devices of a node that are used; 0: all
  std::string transport = {};  // empty: the cluster's
  std::string library = {};
  std::string scheduler = {};        // horovod, buckets, tensors, after_backward
  std::string usual_scheduler = {};  // of the framework, where the cluster does not say
  std::string algorithm = {};
  std::optional<double> bucket_mb = {};
  int servers = 0;       // 0: the cluster's
  bool sharded = false;  // large variables over all servers
  bool overlap = true;
  bool real_data = false;
  double gradient_scale = 1;  // 0.5: fp16
  double wire_scale = 1;      // of every rate between nodes: what a measured run says about it
  double inside_scale = 1;    // the same inside nodes
  double software_scale = 1;  // of the caps that software sets: libraries, connections, servers
  int slow_nodes = 0;         // at slow_speed of the others
  double slow_speed = 1;

  bool uses_servers() const {
    return update == UpdateKind::ParameterServer || update == UpdateKind::DistributedReplicated;
  }
};

struct PredictedTransfer {
  std::string name;
  double bytes = 0;
  double ready = 0, begin = 0, end = 0;  // seconds since the start of the step
};

// Part of its line rate that the busiest link of each kind carries during a step; 0: no such link.
struct LinkUse {
  double node = 0, uplink = 0, inside = 0;  // between nodes, out of racks, inside nodes
};

struct Prediction {
  double images_per_second = 0;
  double step = 0;  // seconds, expected
  // Its parts: they add up to it.
  double forward = 0, backward = 0, exposed = 0, late = 0, input = 0;
  double slowed = 0;                            // of backward: kernels beside collectives
  double bandwidth_time = 0, latency_time = 0;  // of all transfers, hidden or not
  double hot_server_share = 0;                  // of all bytes, on the fullest server; 0: none
  double network_busy = 0;                      // part of the step in which a node's link sends
  int nodes = 1, per_node = 1;
  double forward_begin = 0;  // seconds since the start of the step
  // Only if asked for:
  LinkUse links = {};
  std::vector<PredictedTransfer> transfers = {};
};

}  // namespace lockstep
