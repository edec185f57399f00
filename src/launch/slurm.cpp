#include "launch/slurm.h"

#include <fmt/format.h>

#include <csignal>
#include <set>
#include <sstream>

#include "base/bundle.h"
#include "base/error.h"
#include "base/provenance.h"
#include "base/shell_quote.h"

namespace lockstep {
namespace {

// $1 is the script, the rest are arguments of sbatch. On USR1 it interrupts the program inside the
// job, again until that ends: a job that is just starting loses signals, and further ones of this
// kind are the same request. A job that has not started is cancelled. On TERM it cancels the job
// and ignores further signals. Signals only set a flag, and sbatch does not see them: a job with an
// unknown number could not be cancelled. scontrol fails if the controller is busy, so the job has
// ended only if scontrol says so or no longer knows it.
constexpr const char* kSubmitAndWait = R"sh(
stop=; end=
trap 'stop=1' USR1
trap 'end=1' TERM INT HUP
end_if_asked() {
  [ -n "$end" ] || return 0
  trap '' USR1 TERM INT HUP; scancel "$job"; exit 143
}
script=$1; shift
job=$(trap '' USR1 TERM INT HUP; printf '%s' "$script" | sbatch --parsable "$@") || exit 1
job=${job%%;*}
echo "$job SUBMITTED None"  # at once: whoever knows the number can cancel it
last=
while :; do
  end_if_asked
  text=$(trap '' USR1; scontrol --oneliner show job "$job" 2>&1)
  end_if_asked  # before writing: the reader may be gone
  case $text in
    *JobState=*) state=${text#*JobState=}; state=${state%% *};;
    *'Invalid job id'*) echo "$job END UNKNOWN (the controller no longer knows it)"; exit 0;;
    *) state=;;
  esac
  case $state in
    COMPLETED|FAILED|CANCELLED*|TIMEOUT|NODE_FAIL|PREEMPTED|OUT_OF_MEMORY|BOOT_FAIL|DEADLINE)
      code=${text#* ExitCode=}; echo "$job END $state ${code%% *}"; exit 0;;
  esac
  if [ -n "$state" ] && [ "$state" != "$last" ]; then
    reason=${text#* Reason=}; echo "$job $state ${reason%% *}"; last=$state
  fi
  case $stop$state in
    1RUNNING) scancel --batch --signal=USR1 "$job" 2>/dev/null;;
    1|1COMPLETING) ;;
    1*) scancel "$job" 2>/dev/null && stop=;;
  esac
  sleep 1 & wait $!
done
)sh";

std::string node_list(const LaunchJob& job) {
  std::string list;
  for (const PlacedRank& rank : job.ranks) {
    list += (list.empty() ? "" : ",") + job.hosts[rank.host].name;
  }
  return list;
}

size_t hosts_used(const LaunchJob& job) {
  std::set<size_t> hosts;
  for (const PlacedRank& rank : job.ranks) hosts.insert(rank.host);
  return hosts.size();
}

// Ranks follow the order of the node list, regardless of cores: workers of a node divide the cores
// of the job there. A failed rank does not end the others at once, because rank 0 may still be
// writing the result.
LaunchPlan plan_srun(const LaunchJob& job) {
  std::vector<std::string> words = {"srun",
                                    "--label",
                                    "--overcommit",
                                    "--input=none",
                                    "--kill-on-bad-exit=0",
                                    "--wait=60",
                                    "--cpu-bind=none",
                                    job.uses_mpi ? "--mpi=pmix" : "--mpi=none",
                                    fmt::format("--nodes={}", hosts_used(job)),
                                    fmt::format("--ntasks={}", job.ranks.size()),
                                    "--distribution=arbitrary",
                                    "--nodelist=" + node_list(job),
                                    job.program,
                                    job.command};
  words.insert(words.end(), job.arguments.begin(), job.arguments.end());
  std::map<std::string, std::string> environment = srun_environment();
  environment.insert(job.environment.begin(), job.environment.end());
  return {.processes = processes_of(job, job.program, Ranks::Theirs),
          .commands = {{.name = "srun",
                        .argv = std::move(words),
                        .env = std::move(environment),
                        .stop_signal = SIGUSR1,
                        .repeat_stop_signal = true}},
          .tag = LineTag::Slurm,
          .rendezvous = "on rank 0's node, derived from job and step id",
          .cores = "those of the job, divided among the workers of a node, each pinned to its own"};
}

LaunchPlan plan_sbatch(const LaunchJob& job) {
  std::string script = "#!/bin/sh\n#SBATCH --job-name=lockstep\n";
  // No requeue: a job restarted after losing a node would measure something else.
  script += fmt::format("#SBATCH --nodes={}\n#SBATCH --exclusive\n#SBATCH --no-requeue\n",
                        job.hosts.size());
  for (const std::string& option : job.sbatch_options) {
    if (option.find('\n') != std::string::npos || !option.starts_with('-')) {
      throw UsageError("--sbatch-option '{}': must be --name=value, as on an #SBATCH line", option);
    }
    script += fmt::format("#SBATCH {}\n", option);
  }
  std::vector<std::string> inside = {job.program, job.command};
  inside.insert(inside.end(), job.batch_arguments.begin(), job.batch_arguments.end());
  // The environment of a job need not be that of its submission.
  for (const char* name : {kCommandLineVariable, kWorkingDirectoryVariable, kStartedByVariable,
                           kSettingsVariable, kDefaultsVariable, kTorchVariable}) {
    const auto value = job.environment.find(name);
    if (value == job.environment.end()) continue;
    script += fmt::format("export {}={}\n", name, shell_quoted(value->second));
  }
  script += fmt::format("exec {}\n", shell_line(inside));
  std::string pattern = job.output;  // for Slurm, % starts a placeholder
  for (size_t at = 0; (at = pattern.find('%', at)) != std::string::npos; at += 2) {
    pattern.insert(at, "%");
  }
  return {.processes = processes_of(job, job.program, Ranks::Theirs),
          .commands = {{.name = "Slurm",
                        .argv = {"sh", "-c", kSubmitAndWait, "sh", script,
                                 fmt::format("--output={}-%j.log", pattern),
                                 fmt::format("--error={}-%j.err", pattern)},
                        .stop_signal = SIGUSR1}},
          .rendezvous = "on rank 0's node, derived from job and step id",
          .cores = "those of the job, divided among the workers of a node, each pinned to its own",
          .batch_script = script,
          .batch_output = job.output};
}

}  // namespace

std::map<std::string, std::string> srun_environment() { return {{"SLURM_OVERLAP", "1"}}; }

LaunchPlan plan_slurm(const LaunchJob& job) {
  return job.batch_arguments.empty() ? plan_srun(job) : plan_sbatch(job);
}

BatchNews parse_batch_news(const std::string& line) {
  std::istringstream words(line);
  BatchNews news;
  words >> news.job >> news.state;
  std::getline(words >> std::ws, news.more);
  return news;
}

}  // namespace lockstep
