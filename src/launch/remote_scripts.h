// remote_scripts.h: the shell scripts that deploy the program to a host and start it there.
//
// Arguments become $1, $2, ... of a script and are never part of its text. $1 is always the remote
// directory, $2 a name in it.
//
// Security: on a shared host others may have prepared the path, or may change it at any time. So a
// script first enters the remote directory and then looks at where it is, up to the root: whoever
// else may replace one of these directories could replace the program. It refuses such a path. The
// program and its directory must be the user's own, closed to others, and no links.
#pragma once

#include <string>
#include <vector>

namespace lockstep {

enum class RemoteScript {
  LookForProgram,  // $2: its directory, $3: its bytes; prints "present"
  Receive,         // $2: staging directory, $3: name of the file on stdin, $4: its bytes
  Libraries,       // $2: staging directory; prints the output of ldd
  Install,         // $2: staging directory, $3: the directory that it becomes, $4: program bytes
  Remove,          // $2: staging directory; removed at the end of stdin
  StartAgent,      // $2: directory of the program; the agent's working directory is there
};

// The command that runs a script.
std::vector<std::string> remote_command(RemoteScript script, const std::vector<std::string>& words);

}  // namespace lockstep
