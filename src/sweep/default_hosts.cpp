#include "sweep/default_hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/host_name.h"
#include "base/text.h"
#include "launch/hosts.h"

namespace lockstep {
namespace {

using Values = std::vector<std::string>;

bool is_this_machine(const Host& host) {
  const std::string own = host_name(), &name = host.ssh_target;
  return name == own || name == own.substr(0, own.find('.')) || name == "localhost" ||
         name == "127.0.0.1";
}

// A list of this machine alone: the sweep scales over its devices, and needs no ssh. `source` names
// the list in the note.
bool use_this_machine(SweepOptions& options, const std::vector<Host>& hosts,
                      const std::string& source, Values& notes) {
  if (hosts.size() != 1 || !is_this_machine(hosts.front())) return false;
  if (options.max_devices == 0) options.max_devices = hosts.front().slots.value_or(0);
  notes.push_back(fmt::format("the only host of {} is this machine", source));
  return true;
}

// --hosts as it is given. Whoever also says how many nodes or devices, or how to start them, keeps
// ssh. Returns whether this machine was meant.
bool use_given_hosts(SweepOptions& options, Values& notes) {
  const auto given = options.lists.find("hosts");
  const bool more = is_given(options, "nodes") || is_given(options, "num-devices") ||
                    is_given(options, "launcher") || is_given(options, "remote-dir");
  if (given == options.lists.end() || given->second.size() != 1 || more) return false;
  const std::string text = given->second.front();
  if (!use_this_machine(options, read_hosts(text), fmt::format("--hosts ({})", text), notes))
    return false;
  options.lists.erase(given);
  return true;
}

void use_cluster_file(SweepOptions& options, const std::string& file, Values& notes) {
  if (!std::filesystem::exists(file)) {
    throw UsageError("${} is {}: no such file; correct it, or use --hosts or --launcher local",
                     kWorkersVariable, file);
  }
  const std::vector<Host> hosts = read_hosts(file);
  const std::string source = fmt::format("${} ({})", kWorkersVariable, file);
  if (use_this_machine(options, hosts, source, notes)) return;
  options.lists["hosts"] = {file};
  const bool slots =
      std::ranges::any_of(hosts, [](const Host& host) { return host.slots.has_value(); });
  notes.push_back(
      fmt::format("{} of {}, {}; --launcher local uses this machine only",
                  count_text(std::ssize(hosts), "host"), source,
                  slots ? "with a worker for each slot" : "with one worker on all cores of each"));
}

// The nodes of this allocation. A single one is this machine.
void use_allocation(SweepOptions& options, const Context& context, Values& notes) {
  const auto number = [&](const char* name) {
    return static_cast<int>(whole_number(context.environment(name).value_or("")).value_or(1));
  };
  const int nodes = number("SLURM_JOB_NUM_NODES");
  if (!context.environment("SLURM_JOB_ID") || nodes < 2) return;
  options.lists["launcher"] = {"slurm"};
  options.lists.try_emplace("num-devices", Values{fmt::to_string(number("SLURM_NTASKS_PER_NODE"))});
  const int most = options.max_devices > 0 ? options.max_devices : nodes;
  if (!is_given(options, "nodes")) {
    options.lists["nodes"] = doubling(most);
    options.max_devices = 0;
  }
  notes.push_back(fmt::format("{} nodes of Slurm job {}", nodes,
                              context.environment("SLURM_JOB_ID").value_or("")));
}

}  // namespace

bool places_itself(const SweepOptions& options) {
  return is_given(options, "hosts") || is_given(options, "worker-hosts") ||
         is_given(options, "launcher") || is_given(options, "program");
}

void choose_hosts(SweepOptions& options, const Context& context, bool in_allocation,
                  Values& notes) {
  if (use_given_hosts(options, notes) || places_itself(options)) return;
  const std::string file = context.environment(kWorkersVariable).value_or("");
  if (!file.empty()) return use_cluster_file(options, file, notes);
  if (in_allocation) use_allocation(options, context, notes);
}

}  // namespace lockstep
