#include "launch/ssh.h"

#include <fmt/format.h>

#include "base/shell_quote.h"

namespace lockstep {

Command on_host(const Host& host, const std::vector<std::string>& words,
                const SshOptions& options) {
  Command command;
  command.name = host.name;
  command.argv = {"ssh", "-T", "-o", "BatchMode=yes"};
  const auto add = [&](const std::string& option) {
    command.argv.insert(command.argv.end(), {"-o", option});
  };
  for (const std::string& option : options.more)
    add(option);  // to ssh the first of its kind counts
  add(fmt::format("ConnectTimeout={}", options.connect_timeout));
  // A link that died is noticed, whatever the user's configuration says.
  add("ServerAliveInterval=10");
  add("ServerAliveCountMax=3");
  command.argv.insert(command.argv.end(), {"--", host.ssh_target, shell_line(words)});
  return command;
}

}  // namespace lockstep
