// rank_processes.h: ranks as processes that reduce for ever, so that a test can let one fail.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "comm/store.h"

namespace lockstep {

struct RankProcessesOptions {
  std::string backend;
  std::vector<std::string> hosts;  // of every rank
  Endpoint store;
  std::string token;
  Seconds stall_timeout{60};
  std::string interface = {};
  std::function<void(int rank)> prepare = {};  // called in each process first
};

class RankProcesses {
 public:
  explicit RankProcesses(const RankProcessesOptions& options);
  ~RankProcesses();  // kills those that still run
  RankProcesses(const RankProcesses&) = delete;
  RankProcesses& operator=(const RankProcesses&) = delete;

  // Until every rank has done some rounds. The words of one that did not get there, or nothing.
  std::string wait_until_working();
  void signal(int rank, int number) const;

  struct End {
    std::string words;  // of its error
    int status;         // as waitpid gives it
  };
  End end_of(int rank);  // waits for it

 private:
  struct Process {
    pid_t number = 0;
    int output = -1;
  };
  std::vector<Process> ranks_;
};

}  // namespace lockstep
