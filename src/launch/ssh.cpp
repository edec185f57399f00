#include "launch/ssh.h"

#include <fmt/format.h>

#include <string_view>

#include "base/shell_quote.h"

namespace lockstep {
namespace {

struct Remedy {
  std::string_view complaint, remedy;
};
constexpr Remedy kRemedies[] = {
    {"Host key verification failed",
     "new host: --ssh-option StrictHostKeyChecking=accept-new, or ssh-keyscan; changed key: "
     "ssh-keygen -R"},
    {"Permission denied (",
     "give the user as USER@HOST and the key with --ssh-option IdentityFile=FILE"},
};

}  // namespace

Command on_host(const Host& host, const std::vector<std::string>& words,
                const SshOptions& options) {
  Command command;
  command.name = host.name;
  command.argv = {"ssh", "-T", "-o", "BatchMode=yes"};
  const auto add = [&](const std::string& option) {
    command.argv.insert(command.argv.end(), {"-o", option});
  };
  for (const std::string& option : options.more)
    add(option);  // ssh uses the first value of an option
  add(fmt::format("ConnectTimeout={}", options.connect_timeout));
  // Notices a dead connection, whatever the user's configuration says.
  add("ServerAliveInterval=10");
  add("ServerAliveCountMax=3");
  command.argv.insert(command.argv.end(), {"--", host.ssh_target, shell_line(words)});
  return command;
}

std::string with_remedy(const std::string& complaint) {
  for (const Remedy& row : kRemedies) {
    if (complaint.find(row.complaint) == std::string::npos) continue;
    return fmt::format("{} ({})", complaint, row.remedy);
  }
  return complaint;
}

}  // namespace lockstep
