// deploy.h: copies this program to hosts that do not have it, with the shared libraries they lack.
//
// Its directory is named by a hash of the program, so what is there is up to date, and several
// versions can coexist. The directory appears only when all files are complete.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "launch/hosts.h"
#include "launch/ssh.h"

namespace lockstep {

struct Deployment {
  std::string program;     // path on this machine
  std::string remote_dir;  // directory on the hosts
  std::string id;          // unique for this launch: a random_token()
  SshOptions ssh;
  std::function<bool()> interrupted = [] { return false; };  // called often
};

struct HostFailure {
  std::string host, why;
  bool reached = false;  // ssh works, but the command failed
};

// One line for each host that failed.
class HostError : public Error {
 public:
  explicit HostError(std::vector<HostFailure> failed);

  std::vector<HostFailure> failures;
};

class Interrupted : public Error {
 public:
  Interrupted() : Error("interrupted") {}
};

// Deploys to all hosts at once, into directory_name() of the remote directory. Throws HostError for
// the hosts that failed, or Interrupted; then nothing is left on them.
void deploy(const std::vector<Host>& hosts, const Deployment& deployment);

// Makes '~/x' relative: no shell expands the '~', and ssh commands start in the home directory.
std::string without_home(const std::string& directory);

// The name of this file by its contents: "lockstep-3f0a...".
std::string directory_name(const std::string& program);

}  // namespace lockstep
