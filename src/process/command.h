// command.h: one process to start. A plan is a list of them: launchers and external programs only
// write plans, and run_commands() runs any.
#pragma once

#include <csignal>
#include <map>
#include <string>
#include <vector>

namespace lockstep {

struct Command {
  enum class Role {
    Worker,  // the run lasts until every worker has ended
    Server,  // serves the workers, and is ended when they are done
  };

  std::string name;                             // "worker 0": in messages and log files
  std::vector<std::string> argv;                // handed over as it is: no shell reads it
  std::map<std::string, std::string> env = {};  // added to the environment of this process
  std::string directory = {};                   // to run in; empty: this process's own
  Role role = Role::Worker;
  int expected_exit_code = 0;   // any other is a failure
  bool fails_alone = false;     // which ends nothing else: it is only in the outcome
  std::string input_file = {};  // that it reads as its stdin; empty: there is nothing to read
  bool listens = false;         // it reads what RunWatch::messages sends, and its end when we end
  int stop_signal = 0;          // that asks it to stop, when the user wants it; 0: SIGTERM
  int orphan_signal = SIGTERM;  // that it gets when this process dies, once or several times

  bool operator==(const Command&) const = default;
};

}  // namespace lockstep
