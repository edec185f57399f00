#include "launch/deploy.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "base/error.h"
#include "base/fnv1a.h"
#include "launch/libraries.h"
#include "launch/run_commands.h"

namespace lockstep {
namespace {

// Words after the script become $1, $2, ... there: nothing of them is part of the script.
//
// Only a program that is the user's own, in a directory that is, is run: in a directory for all,
// others may have left one, or a link to something of the user's that is no such program.
// All files go to a place of this deployment's own, which is renamed when everything is there. A
// file that is shorter than it should be means that the line broke or the disk is full: then the
// place is removed on the spot, for nobody may come back to do it.
constexpr const char* kLookForProgram =
    "if [ -O \"$1\" ] && [ ! -L \"$1\" ] && [ -x \"$1/lockstep\" ] && "
    "[ -O \"$1/lockstep\" ] && [ ! -L \"$1/lockstep\" ] && "
    "[ \"$(wc -c <\"$1/lockstep\")\" -eq \"$3\" ]; then echo present; "
    "else umask 077; mkdir -p -- \"$2\"; fi";
constexpr const char* kReceive =
    "umask 077; cat >\"$1/$2\" && [ \"$(wc -c <\"$1/$2\")\" -eq \"$3\" ] && chmod 755 \"$1/$2\" || "
    "{ rm -rf -- \"$1\"; exit 1; }";
constexpr const char* kLibraries = "LD_LIBRARY_PATH=\"$1\" ldd \"$1/lockstep\" 2>&1";
constexpr const char* kInstall =  // another launcher may have been faster, or it was damaged there
    "ours() { [ -O \"$1\" ] && [ ! -L \"$1\" ] && "
    "[ -O \"$1/lockstep\" ] && [ ! -L \"$1/lockstep\" ]; }; "
    "if ours \"$2\" && [ \"$(wc -c <\"$2/lockstep\")\" -ne \"$3\" ]; then "
    "rm -rf -- \"$2\"; fi; "
    "mv -T -- \"$1\" \"$2\" 2>/dev/null || { rm -rf -- \"$1\"; ours \"$2\" || "
    "{ echo \"$2 is not ours\"; exit 1; }; }";
constexpr const char* kRemove = "rm -rf -- \"$1\"";
constexpr const char* kWhateverHappens = "\"$@\"; exit 0";
constexpr Seconds kPatience{300}, kPatienceForTidying{20};

std::vector<std::string> script(const char* text, const std::vector<std::string>& words) {
  std::vector<std::string> argv = {"sh", "-c", text, "sh"};
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

using Answers = std::map<std::string, std::vector<std::string>>;  // lines, by host

// One command on each host, all at once. A command that fails is an error with its host.
class Step {
 public:
  explicit Step(const SshOptions& ssh) : ssh_(ssh) {}

  void add(const Host& host, const std::vector<std::string>& words, const std::string& input = "") {
    Command command = on_host(host, words, ssh_);
    command.input_file = input;
    plan_.push_back(std::move(command));
  }

  Answers run() const {
    Answers answers;
    if (plan_.empty()) return answers;
    const PlanOutcome outcome =
        run_commands(plan_, {.time = kPatience}, {.line = [&](const OutputLine& line) {
                       answers[plan_[line.command].name].push_back(line.text);
                       return Next::GoOn;
                     }});
    if (outcome.end == RunEnd::Completed) return answers;
    const CommandOutcome* culprit = &outcome.commands[outcome.culprit];
    if (outcome.end == RunEnd::TimedOut) {
      culprit = &*std::ranges::find_if(outcome.commands, &CommandOutcome::ended_by_us);
    }
    const std::string& host = plan_[static_cast<size_t>(culprit - outcome.commands.data())].name;
    const auto& said = answers[host];
    throw HostError(host,
                    said.empty() || outcome.end == RunEnd::TimedOut ? outcome.why : said.back());
  }

  // On every host that can be reached, whatever happens on the others.
  void try_to_run() {
    for (Command& command : plan_) {
      std::vector<std::string> argv = {"sh", "-c", kWhateverHappens, "sh"};
      argv.insert(argv.end(), command.argv.begin(), command.argv.end());
      command.argv = std::move(argv);
    }
    run_commands(plan_, {.time = kPatienceForTidying}, {});
  }

 private:
  const SshOptions& ssh_;
  std::vector<Command> plan_;
};

std::map<std::string, std::string> own_libraries(const std::string& program) {
  std::vector<std::string> lines;
  const Command ldd = {.name = "ldd", .argv = {"ldd", program}};
  run_commands(std::span(&ldd, 1), {.time = kPatience}, {.line = [&](const OutputLine& line) {
                 lines.push_back(line.text);
                 return Next::GoOn;
               }});
  return libraries_in(lines);
}

std::vector<std::string> receive(const std::string& directory, const std::string& name,
                                 const std::string& file) {
  return script(kReceive, {directory, name, fmt::to_string(std::filesystem::file_size(file))});
}

struct Target {
  Host host;
  std::string directory;  // where its files are gathered
};

// Rounds: a library may need others.
void send_libraries(const std::vector<Target>& targets, const Deployment& deployment) {
  const auto own = own_libraries(deployment.program);
  std::set<std::string> sent;
  for (bool missing = true; missing;) {
    missing = false;
    Step ask(deployment.ssh), send(deployment.ssh);
    for (const auto& [host, place] : targets) ask.add(host, script(kLibraries, {place}));
    const Answers answers = ask.run();
    for (const auto& [host, place] : targets) {
      const auto found = answers.find(host.name);
      if (found == answers.end()) continue;
      if (const std::string why = too_old(found->second); !why.empty()) {
        throw HostError(host.name, "its system is older than this program needs: " + why);
      }
      for (const auto& [library, path] : libraries_in(found->second)) {
        if (!path.empty()) continue;
        const auto here = own.find(library);
        if (here == own.end() || here->second.empty() || !sent.insert(host.name + library).second) {
          throw HostError(host.name, library + " is missing, and could not be brought there");
        }
        send.add(host, receive(place, library, here->second), here->second);
        missing = true;
      }
    }
    send.run();
  }
}

}  // namespace

std::string without_home(const std::string& directory) {
  if (directory == "~") return ".";
  return directory.starts_with("~/") ? directory.substr(2) : directory;
}

std::string directory_name(const std::string& program) {
  std::ifstream file(program, std::ios::binary);
  if (!file) throw Error("cannot read {}", program);
  Fnv1a hash;
  for (std::istreambuf_iterator<char> byte(file), end; byte != end; ++byte) {
    hash.add(uint64_t{static_cast<unsigned char>(*byte)});
  }
  return fmt::format("lockstep-{:016x}-{}", hash.value(), std::filesystem::file_size(program));
}

std::string deploy(const std::vector<Host>& hosts, const Deployment& deployment) {
  const std::string directory = deployment.remote_dir + "/" + directory_name(deployment.program);
  const std::string size = fmt::to_string(std::filesystem::file_size(deployment.program));
  const auto staging = [&](size_t host) {  // one each: hosts may share their disks
    return fmt::format("{}.{}-{}", directory, deployment.id, host);
  };
  Step probe(deployment.ssh), send(deployment.ssh), install(deployment.ssh), tidy(deployment.ssh);
  for (size_t i = 0; i < hosts.size(); ++i) {
    probe.add(hosts[i], script(kLookForProgram, {directory, staging(i), size}));
    tidy.add(hosts[i], script(kRemove, {staging(i)}));
  }
  try {
    const Answers answers = probe.run();
    std::vector<Target> fresh;
    for (size_t i = 0; i < hosts.size(); ++i) {
      const auto found = answers.find(hosts[i].name);
      const bool present =
          found != answers.end() && std::ranges::count(found->second, "present") > 0;
      if (!present) fresh.push_back({hosts[i], staging(i)});
    }
    for (const auto& [host, place] : fresh) {
      send.add(host, receive(place, "lockstep", deployment.program), deployment.program);
      install.add(host, script(kInstall, {place, directory, size}));
    }
    send.run();
    if (!fresh.empty()) send_libraries(fresh, deployment);
    install.run();
  } catch (const Error&) {
    tidy.try_to_run();
    throw;
  }
  return directory;
}

}  // namespace lockstep
