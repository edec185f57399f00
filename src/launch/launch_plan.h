// launch_plan.h: what starting a run comes to: which process runs where, and what is started here
// so that it does. Launchers write plans; --dry-run shows them, run_plan() of app/ runs any.
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

// What every launcher is told.
struct LaunchJob {
  std::string program;                 // path of this one
  std::string version;                 // of it
  std::string command;                 // "train"
  std::vector<std::string> arguments;  // of every process
  std::vector<Host> hosts;
  std::vector<PlacedRank> ranks;  // on them
  // What is added to the environment of every process, and the variable that tells it its rank
  // where nobody else does. Secrets travel here, and never in arguments.
  std::map<std::string, std::string> environment = {};
  std::string rank_variable = {};
  std::vector<std::string> cores = {};  // of each rank, where they are known before: "0-3"
  std::string id = {};                  // of this run and no other
  std::string token = {};               // without which nobody is let in
  std::string interface = {};
  int store_port = 0;  // 0: any free one

  // Of one launcher or another.
  std::string remote_dir = {};
  SshOptions ssh = {};
  std::vector<std::string> mpirun_options = {}, sbatch_options = {};
  std::string mpirun_version = {};  // what `mpirun --version` says
  bool as_root = false;
  bool uses_mpi = false;  // the processes monitor by MPI
  // Of a job that is yet to be submitted: the launcher inside it, and the files OUTPUT-%j.log and
  // OUTPUT-%j.err. Empty arguments: this is an allocation already.
  std::vector<std::string> batch_arguments = {};
  std::string output = {};
};

struct PlannedProcess {
  int rank = 0;
  std::string role;  // "worker 0", "server 1"
  std::string host;
  std::vector<std::string> argv;
  std::map<std::string, std::string> env = {};  // what we add to its environment
  std::string cores = {};                       // empty: not known before
};

struct LaunchPlan {
  std::vector<PlannedProcess> processes;  // by rank
  std::vector<Command> commands;          // started here
  LineTag tag = LineTag::None;            // how a line of theirs says whose it is
  std::string rendezvous;                 // "a free port of node1": where all processes meet
  std::string cores;                      // who decides on them

  // By ssh: commands[i] is the agent of hosts[i], which is brought the program and told agents[i].
  std::vector<Host> hosts = {};
  std::vector<AgentJob> agents = {};
  size_t keeper = 0;  // whose agent keeps the store

  std::string batch_script = {};  // of a job that is submitted; its lines are followed
  std::string batch_output = {};  // as LaunchJob::output
};

// Whether each learns its rank from us, or from whoever starts it.
enum class Ranks { Ours, Theirs };
std::vector<PlannedProcess> processes_of(const LaunchJob& job, const std::string& program,
                                         Ranks ranks);

// For --dry-run: every process with its host, environment and command, and what is started here.
// `secret` is the variable whose value is shown to nobody.
std::string describe(const LaunchPlan& plan, const std::string& secret);

}  // namespace lockstep
