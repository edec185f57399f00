// ssh.h: runs commands on other hosts with the user's ssh: its configuration, keys, known hosts.
#pragma once

#include <string>
#include <vector>

#include "launch/hosts.h"
#include "process/command.h"

namespace lockstep {

struct SshOptions {
  std::vector<std::string> more = {};  // for -o: "StrictHostKeyChecking=accept-new"
  int connect_timeout = 20;            // seconds
};

// Runs `words` on the host. No shell interprets them, here or there. ssh never prompts.
Command on_host(const Host& host, const std::vector<std::string>& words, const SshOptions& options);

// Adds a remedy to an error message of ssh, if one is known.
std::string with_remedy(const std::string& complaint);

}  // namespace lockstep
