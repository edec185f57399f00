// ssh.h: commands on other hosts, by the user's own ssh: its configuration, keys and known hosts.
#pragma once

#include <string>
#include <vector>

#include "launch/hosts.h"
#include "process/command.h"

namespace lockstep {

struct SshOptions {
  std::vector<std::string> more = {};  // as after -o: "StrictHostKeyChecking=accept-new"
  int connect_timeout = 20;            // seconds
};

// Runs `words` on the host; no shell interprets them, there or here. ssh never asks anything.
Command on_host(const Host& host, const std::vector<std::string>& words, const SshOptions& options);

// What ssh complains of, and what to do about it where that is known.
std::string with_remedy(const std::string& complaint);

}  // namespace lockstep
