#include "launch/mpirun.h"

#include <algorithm>
#include <csignal>
#include <optional>

#include "base/error.h"
#include "base/network_interface.h"
#include "base/text.h"
#include "comm/mpi.h"

namespace lockstep {
namespace {

using Words = std::vector<std::string>;

void add(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

// Neighbouring ranks of one host.
struct Stretch {
  size_t host;
  int ranks;
};

std::vector<Stretch> stretches_of(const std::vector<PlacedRank>& ranks) {
  std::vector<Stretch> stretches;
  for (const PlacedRank& rank : ranks) {
    if (stretches.empty() || stretches.back().host != rank.host)
      stretches.push_back({rank.host, 0});
    ++stretches.back().ranks;
  }
  return stretches;
}

std::string names_of(const std::map<std::string, std::string>& environment) {
  std::string names;
  for (const auto& [name, value] : environment) names += (names.empty() ? "" : ",") + name;
  return names;
}

// MPI takes these as one string and splits it at spaces.
std::string ssh_arguments(const SshOptions& ssh) {
  std::string text = "-o BatchMode=yes";
  for (const std::string& option : ssh.more) {
    if (option.find(' ') != std::string::npos) {
      throw UsageError("--ssh-option '{}': mpirun cannot pass spaces to ssh; use your ssh config",
                       option);
    }
    text += " -o " + option;
  }
  return text;
}

Words one_process(const LaunchJob& job) {
  Words words = {job.program, job.command};
  add(words, job.arguments);
  return words;
}

// Without these Open MPI uses all networks, and waits forever at an address that two hosts have,
// such as that of docker0. Its own messages also go to this machine, which may lack the interface.
Words open_mpi_networks(const LaunchJob& job) {
  const std::string& data = job.interface.empty() ? job.hosts_network : job.interface;
  const std::string& own = job.hosts_network.empty() ? job.interface : job.hosts_network;
  Words words;
  if (!data.empty()) add(words, {"--mca", "btl_tcp_if_include", data});
  if (!own.empty()) add(words, {"--mca", "oob_tcp_if_include", own});
  return words;
}

// One section per stretch of ranks, separated by ':', each with its own host.
Words open_mpi(const LaunchJob& job) {
  Words words = {"mpirun", "--bind-to", "none", "--map-by", "slot", "--tag-output"};
  add(words, {"--mca", "mpi_yield_when_idle", "1"});
  if (job.as_root) words.emplace_back("--allow-run-as-root");
  add(words, open_mpi_networks(job));
  if (!job.ssh.more.empty()) add(words, {"--mca", "plm_rsh_args", ssh_arguments(job.ssh)});
  for (const auto& [name, value] : job.environment) add(words, {"-x", name});
  add(words, job.mpirun_options);
  bool first = true;
  for (const Stretch& stretch : stretches_of(job.ranks)) {
    if (!first) words.emplace_back(":");
    first = false;
    const std::string count = fmt::to_string(stretch.ranks);
    add(words, {"-np", count, "-H", job.hosts[stretch.host].ssh_target + ":" + count});
    add(words, one_process(job));
  }
  return words;
}

// Without --hosts (DefaultHosts::Localhost).
bool is_this_machine(const LaunchJob& job) {
  return job.hosts.size() == 1 && job.hosts.front().ssh_target == "localhost";
}

Words mpich(const LaunchJob& job) {
  Words words = {"mpirun", "-prepend-rank", "-bind-to", "none"};
  if (!job.environment.empty()) add(words, {"-genvlist", names_of(job.environment)});
  if (is_network(job.interface)) {
    throw UsageError("--interface {}: MPICH needs the name of an interface, such as eth0",
                     job.interface);
  }
  if (!job.interface.empty()) add(words, {"-iface", job.interface});
  std::string hosts;
  std::vector<size_t> seen;
  for (const Stretch& stretch : stretches_of(job.ranks)) {
    if (std::find(seen.begin(), seen.end(), stretch.host) != seen.end()) {
      throw UsageError(
          "MPICH fills hosts in order and cannot place these servers; use --ps-in-worker, "
          "--ps-per-node, or --launcher ssh");
    }
    seen.push_back(stretch.host);
    hosts += fmt::format("{}{}:{}", hosts.empty() ? "" : ",", job.hosts[stretch.host].ssh_target,
                         stretch.ranks);
  }
  if (!is_this_machine(job)) add(words, {"-hosts", hosts});
  if (!job.ssh.more.empty()) add(words, {"-launcher", "ssh"});
  add(words, job.mpirun_options);
  add(words, {"-n", fmt::to_string(job.ranks.size())});
  add(words, one_process(job));
  return words;
}

// MPICH takes options for ssh only from the environment.
std::map<std::string, std::string> mpich_environment(const LaunchJob& job) {
  std::map<std::string, std::string> environment = job.environment;
  if (!job.ssh.more.empty()) environment["HYDRA_LAUNCHER_EXTRA_ARGS"] = ssh_arguments(job.ssh);
  return environment;
}

std::optional<MpiKind> kind_in(const std::string& version_text) {
  const std::string text = lower_case(version_text);
  if (text.find("open mpi") != std::string::npos) return MpiKind::OpenMpi;
  for (const char* mark : {"hydra", "mpich", "intel(r) mpi"}) {
    if (text.find(mark) != std::string::npos) return MpiKind::Mpich;
  }
  return std::nullopt;
}

// "4" of "mpirun (Open MPI) 4.1.4".
std::string major_version(const std::string& version_text) {
  const size_t begin = version_text.find_first_of("0123456789");
  if (begin == std::string::npos) return "";
  return version_text.substr(begin, version_text.find('.', begin) - begin);
}

}  // namespace

bool fits(const std::string& mpirun_version, const std::string& library_version) {
  const auto kind = kind_in(mpirun_version);
  if (!kind || kind != kind_in(library_version)) return false;
  return kind == MpiKind::Mpich || major_version(mpirun_version) == major_version(library_version);
}

MpiKind mpi_kind(const std::string& version_text) {
  if (const auto kind = kind_in(version_text)) return *kind;
  throw Error("mpirun is neither Open MPI nor MPICH; its version is '{}'",
              version_text.substr(0, version_text.find('\n')));
}

bool meet_by_mpi(const LaunchJob& job) {
  return has_mpi() && mpi_kind(job.mpirun_version) == MpiKind::OpenMpi;
}

LaunchPlan plan_mpirun(const LaunchJob& job) {
  const bool open = mpi_kind(job.mpirun_version) == MpiKind::OpenMpi;
  LaunchPlan plan = {
      .processes = processes_of(job, job.program, Ranks::Theirs),
      .commands = {{.name = "mpirun",
                    .argv = open ? open_mpi(job) : mpich(job),
                    .env = open ? job.environment : mpich_environment(job),
                    .stop_signal = SIGUSR1,
                    .repeat_stop_signal = true,
                    .orphan_signal = SIGUSR1}},  // after two SIGTERM it would not clean up
      .tag = open ? LineTag::OpenMpi : LineTag::Mpich,
      .rendezvous = meet_by_mpi(job) ? "a free port on rank 0's host, exchanged through MPI"
                                     : "a free port on this machine",
      .cores = "not bound by mpirun; divided among the workers of a host, each pinned to its own"};
  return plan;
}

}  // namespace lockstep
