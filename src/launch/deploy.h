// deploy.h: brings this program to hosts that do not have it, with the shared libraries they lack.
//
// It lies in a directory that is named after its contents, so what is there is up to date, and
// several versions live side by side. It appears there only when it is whole.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "launch/hosts.h"
#include "launch/ssh.h"

namespace lockstep {

struct Deployment {
  std::string program;     // here
  std::string remote_dir;  // there
  std::string id;          // of this launch and no other
  SshOptions ssh;
  std::function<bool()> interrupted = [] { return false; };  // asked often
};

struct HostFailure {
  std::string host, why;
  bool reached = false;  // ssh works; what it was to do there does not
};

// Has a line for each host that failed.
class HostError : public Error {
 public:
  explicit HostError(std::vector<HostFailure> failed);

  std::vector<HostFailure> failures;
};

class Interrupted : public Error {
 public:
  Interrupted() : Error("interrupted") {}
};

// The directory of the program on every host, which holds `lockstep` and its libraries. All hosts
// at once. Throws HostError for the hosts that failed, Interrupted when the user wants no more;
// then nothing is left there.
std::string deploy(const std::vector<Host>& hosts, const Deployment& deployment);

// A directory there as the user writes it: no shell reads the '~', and commands begin at home.
std::string without_home(const std::string& directory);

// Names this file by its contents: "lockstep-3f0a...".
std::string directory_name(const std::string& program);

}  // namespace lockstep
