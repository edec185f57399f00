// on_hosts.cpp: runs one command on each of two hosts whose link has a known speed.
//
//   on_hosts RATE COMMAND [WORD]...            (RATE as tc writes it: 1gbit; needs root)
//
// In every word, {index} becomes 0 or 1 and {address0}, {address1} the hosts' addresses. What the
// commands print goes where this program's own output goes.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/host_network.h"

namespace lockstep {
namespace {

constexpr int kHosts = 2;

std::string filled_in(std::string word, int host) {
  const std::pair<std::string, std::string> values[] = {{"{index}", std::to_string(host)},
                                                        {"{address0}", HostNetwork::address(0)},
                                                        {"{address1}", HostNetwork::address(1)}};
  for (const auto& [name, value] : values) {
    for (size_t at; (at = word.find(name)) != std::string::npos;) {
      word.replace(at, name.size(), value);
    }
  }
  return word;
}

pid_t start(const HostNetwork& network, int host, const std::vector<std::string>& words) {
  std::vector<std::string> command;
  for (const std::string& word : words) command.push_back(filled_in(word, host));
  command = network.command_in(host, command);
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  return process;
}

int run(const std::string& rate, const std::vector<std::string>& words) {
  const std::string why_not = HostNetwork::why_not();
  if (!why_not.empty()) throw Error("{}", why_not);
  const HostNetwork network({.hosts = kHosts, .rate = rate});
  std::vector<pid_t> processes;
  for (int host = 0; host < kHosts; ++host) processes.push_back(start(network, host, words));
  int failures = 0;
  for (const pid_t process : processes) {
    int status = 1;
    waitpid(process, &status, 0);
    failures += status != 0;
  }
  return failures;
}

}  // namespace
}  // namespace lockstep

int main(int count, char** words) {
  if (count < 3) {
    std::fputs("usage: on_hosts RATE COMMAND [WORD]...\n", stderr);
    return 2;
  }
  try {
    return lockstep::run(words[1], std::vector<std::string>(words + 2, words + count));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "on_hosts: %s\n", error.what());
    return 1;
  }
}
