#include "support/rank_processes.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>

#include "base/error.h"
#include "comm/backends.h"

namespace lockstep {
namespace {

constexpr Seconds kStart{120};  // all ranks on a busy machine
constexpr char kWorking = '+';

void say(int output, const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(output, text.data(), text.size());
}

// One byte once the communicator works, then rounds for ever, then the reason why they ended.
void be_rank(const RankProcessesOptions& options, int rank, int output) {
  try {
    if (options.prepare) options.prepare(rank);
    Store store({options.store, options.token, std::to_string(rank), kStart});
    const Roster roster =
        meet(store, rank, static_cast<int>(options.hosts.size()), options.hosts[rank], kStart);
    const auto comm = make_communicator(
        options.backend, roster,
        {.stall_timeout = options.stall_timeout, .interface = options.interface}, store);
    const Memory memory = comm->allocate(4 * 100000);
    for (int64_t round = 0;; ++round) {
      comm->all_reduce(memory.floats());
      comm->barrier();
      if (round == 3) say(output, {kWorking});
    }
  } catch (const std::exception& error) {
    say(output, error.what());
  }
}

std::string read_rest(int output) {
  std::string text;
  char part[512];
  for (ssize_t count; (count = read(output, part, sizeof part)) > 0;) text.append(part, count);
  return text;
}

}  // namespace

RankProcesses::RankProcesses(const RankProcessesOptions& options) {
  for (int rank = 0; rank < static_cast<int>(options.hosts.size()); ++rank) {
    int ends[2];
    if (pipe(ends) != 0) throw Error("no pipe");
    const pid_t process = fork();
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(ends[0]);
      dup2(ends[1], STDOUT_FILENO);  // last words of a process that ends itself
      be_rank(options, rank, ends[1]);
      _exit(1);
    }
    close(ends[1]);
    ranks_.push_back({process, ends[0]});
  }
}

RankProcesses::~RankProcesses() {
  for (const Process& rank : ranks_) {
    if (rank.number == 0) continue;
    kill(rank.number, SIGKILL);
    waitpid(rank.number, nullptr, 0);
    close(rank.output);
  }
}

std::string RankProcesses::wait_until_working() {
  for (const Process& rank : ranks_) {
    char first = 0;
    if (read(rank.output, &first, 1) != 1) return "a rank ended without a word";
    if (first != kWorking) return first + read_rest(rank.output);
  }
  return "";
}

void RankProcesses::signal(int rank, int number) const { kill(ranks_[rank].number, number); }

RankProcesses::End RankProcesses::end_of(int rank) {
  Process& process = ranks_[rank];
  End end{.words = read_rest(process.output), .status = 0};
  waitpid(process.number, &end.status, 0);
  close(process.output);
  process = {};
  return end;
}

}  // namespace lockstep
