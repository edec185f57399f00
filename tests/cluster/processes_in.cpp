#include "cluster/processes_in.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cluster/ran.h"
#include "process/processes.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// Words between spaces, as people write them.
std::string command_line(const fs::path& process) {
  std::ifstream file(process / "cmdline");
  std::string words{std::istreambuf_iterator<char>(file), {}};
  std::ranges::replace(words, '\0', ' ');
  return words;
}

bool is_guard(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/comm");
  std::string name;
  return std::getline(file, name) && name == "lockstep-guard";
}

}  // namespace

std::vector<pid_t> processes_in(const HostNetwork& hosts, int host, const std::string& text) {
  const std::string space =
      run_to_its_end(hosts.command_in(host, {"readlink", "/proc/self/ns/pid"})).out;
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::error_code gone;
    const std::string own = fs::read_symlink(entry.path() / "ns/pid", gone).string();
    if (gone || own + "\n" != space) continue;
    if (command_line(entry.path()).find(text) == std::string::npos) continue;
    if (!has_ended(std::stoi(name))) found.push_back(std::stoi(name));
  }
  return found;
}

std::vector<pid_t> without_guards(std::vector<pid_t> processes) {
  std::erase_if(processes, is_guard);
  return processes;
}

}  // namespace lockstep
