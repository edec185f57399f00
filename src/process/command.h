// command.h: one process to start. A plan is a list of commands: launchers and external programs
// only write plans, and run_commands() executes them.
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
  std::vector<std::string> argv;                // passed unchanged, without a shell
  std::map<std::string, std::string> env = {};  // added to the environment of this process
  std::string directory = {};                   // working directory; empty: that of this process
  Role role = Role::Worker;
  int expected_exit_code = 0;   // any other code is a failure
  bool fails_alone = false;     // its failure does not stop the others
  std::string input_file = {};  // its stdin; empty: no input
  bool listens = false;         // its stdin gets RunWatch::messages, and ends when we end
  int stop_signal = 0;          // sent when the user interrupts; 0: SIGTERM
  // The stop signal is sent again and again: mpirun passes it on to the ranks that it has started
  // so far, which may be none.
  bool repeat_stop_signal = false;
  int orphan_signal = SIGTERM;  // sent when this process dies, possibly more than once

  bool operator==(const Command&) const = default;
};

}  // namespace lockstep
