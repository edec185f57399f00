// simulate_options.h: the command line of `lockstep simulate`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options.h"

namespace lockstep {

struct SimulateOptions {
  std::string cluster, clusters_directory;
  std::string model = "", variable_update = "replicated";
  int batch_size = 0;  // 0: the cluster file's, or the profile's, or the model's
  std::vector<int> devices = {};
  int devices_per_node = 0;
  std::optional<int> num_ps = {};
  bool sharded = false;
  std::string profile = "";
  std::optional<double> images_per_second = {};
  std::string fidelity = "schedule";
  std::string transport = "", algorithm = "";
  std::optional<double> bucket_mb = {};
  bool overlap = true, fp16 = false, real_data = false;
  std::vector<std::string> what_if = {}, more_changes = {};  // more: words after --what-if
  std::optional<double> target = {};
  std::string output = "", trace_file = "";
  bool json = false, list_clusters = false, show_cluster = false;
  std::string validate = "", known = "node", check = "";
  std::vector<std::string> given = {};  // names of the options on the command line
};

CommandSyntax simulate_syntax(SimulateOptions& options);

// Throws UsageError for options that exclude each other, those that the task does not use, or one
// that is missing.
void check_options(const SimulateOptions& options);

}  // namespace lockstep
