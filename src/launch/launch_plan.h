// launch_plan.h: the plan of a run: which process runs where, and which commands this machine
// starts. Launchers write plans; --dry-run prints them, and launch() executes them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launch/agent_protocol.h"
#include "launch/hosts.h"
#include "launch/place_ranks.h"
#include "launch/ssh.h"
#include "launch/tagged_line.h"
#include "process/command.h"

namespace lockstep {

// The input of every launcher.
struct LaunchJob {
  std::string program;                 // path of this one
  std::string version;                 // of it
  std::string command;                 // "train"
  std::vector<std::string> arguments;  // of every process
  std::vector<Host> hosts;
  std::vector<PlacedRank> ranks;  // on them
  // Added to the environment of every process, and the variable for its rank if the launcher sets
  // it. Secrets are passed here and never in arguments.
  std::map<std::string, std::string> environment = {};
  std::string rank_variable = {};
  std::vector<std::string> cores = {};  // of each rank, if known in advance: "0-3"
  std::string id = {};                  // unique for this run
  std::string token = {};               // shared secret of the run
  std::string interface = {};           // a name or a network
  std::string hosts_network = {};       // of this machine, with all hosts in it; empty: unknown
  int store_port = 0;                   // 0: any free one

  // Options of single launchers.
  std::string remote_dir = {};
  SshOptions ssh = {};
  std::vector<std::string> mpirun_options = {}, sbatch_options = {};
  std::string mpirun_version = {};  // what `mpirun --version` says
  bool as_root = false;
  bool uses_mpi = false;  // the processes communicate by MPI
  // For a job to submit: arguments of the launcher inside it, and its files OUTPUT-%j.log and
  // OUTPUT-%j.err. Empty arguments: we are inside an allocation.
  std::vector<std::string> batch_arguments = {};
  std::string output = {};
};

struct PlannedProcess {
  int rank = 0;
  std::string role;  // "worker 0", "server 1"
  std::string host;
  std::vector<std::string> argv;
  std::map<std::string, std::string> env = {};  // added to its environment
  std::string cores = {};                       // empty: not known in advance
};

struct LaunchPlan {
  std::vector<PlannedProcess> processes;  // by rank
  std::vector<Command> commands;          // started here
  LineTag tag = LineTag::None;            // how output lines name their rank
  std::string rendezvous;                 // rendezvous of all processes: "a free port on node1"
  std::string cores;                      // how cores are assigned

  // For ssh: commands[i] starts the agent of hosts[i], which gets the program and agents[i].
  std::vector<Host> hosts = {};
  std::vector<AgentJob> agents = {};
  size_t keeper = 0;  // index of the host whose agent runs the store

  std::string batch_script = {};  // of a job to submit
  std::string batch_output = {};  // as LaunchJob::output
};

// Whether ranks are set by us or by the program that starts the processes.
enum class Ranks { Ours, Theirs };
std::vector<PlannedProcess> processes_of(const LaunchJob& job, const std::string& program,
                                         Ranks ranks);

// For --dry-run: every process with its host, environment and command, and what is started here.
// The value of the variable `secret` is not shown.
std::string describe(const LaunchPlan& plan, const std::string& secret);

}  // namespace lockstep
