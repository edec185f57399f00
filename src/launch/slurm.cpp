#include "launch/slurm.h"

#include <fmt/format.h>

#include <csignal>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/shell_quote.h"

namespace lockstep {
namespace {

// $1 is the script, the rest are words for sbatch. Asked to stop (USR1), it has the program inside
// the job interrupted, or cancels a job that has not begun and would not hear; asked to end (TERM),
// it cancels the job, whoever asks again meanwhile. Signals only leave a note, and sbatch does not
// hear them: a job whose number nobody knows could not be cancelled. scontrol fails when the
// controller is busy: only its word counts as the end, or that it knows no such job any more.
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
last=
while :; do
  end_if_asked
  text=$(trap '' USR1; scontrol --oneliner show job "$job" 2>&1)
  end_if_asked  # before anything is written: whoever read it may be gone
  case $text in
    *JobState=*) state=${text#*JobState=}; state=${state%% *};;
    *'Invalid job id'*) echo "$job END UNKNOWN (the controller has forgotten it)"; exit 0;;
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
    1RUNNING) scancel --batch --signal=INT "$job" 2>/dev/null && stop=;;
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

// Laid out in the order of the list, however few cores that leaves for each: workers of a node
// divide what the job has there. One that fails does not end the others at once, since rank 0 may
// be writing what was measured.
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
                        .stop_signal = SIGUSR1}},
          .tag = LineTag::Slurm,
          .rendezvous = "of rank 0's node, from the numbers of job and step",
          .cores = "those of the job; workers of a node divide them, each pinned to its part"};
}

LaunchPlan plan_sbatch(const LaunchJob& job) {
  std::string script = "#!/bin/sh\n#SBATCH --job-name=lockstep\n";
  // A job that began anew when a node is lost would measure something else.
  script += fmt::format("#SBATCH --nodes={}\n#SBATCH --exclusive\n#SBATCH --no-requeue\n",
                        job.hosts.size());
  for (const std::string& option : job.sbatch_options) {
    if (option.find('\n') != std::string::npos || !option.starts_with('-')) {
      throw UsageError("--sbatch-option '{}' must be as on a line #SBATCH: --name=value", option);
    }
    script += fmt::format("#SBATCH {}\n", option);
  }
  std::vector<std::string> inside = {job.program, job.command};
  inside.insert(inside.end(), job.batch_arguments.begin(), job.batch_arguments.end());
  script += fmt::format("exec {}\n", shell_line(inside));
  std::string pattern = job.output;  // to Slurm % begins a number or a name
  for (size_t at = 0; (at = pattern.find('%', at)) != std::string::npos; at += 2) {
    pattern.insert(at, "%");
  }
  return {.processes = processes_of(job, job.program, Ranks::Theirs),
          .commands = {{.name = "Slurm",
                        .argv = {"sh", "-c", kSubmitAndWait, "sh", script,
                                 fmt::format("--output={}-%j.log", pattern),
                                 fmt::format("--error={}-%j.err", pattern)},
                        .stop_signal = SIGUSR1}},
          .rendezvous = "of rank 0's node, from the numbers of job and step",
          .cores = "those of the job; workers of a node divide them, each pinned to its part",
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
