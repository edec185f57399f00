#include "launch/deploy.h"

#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "launch/run_commands.h"

namespace lockstep {
namespace {

// Words after the script become $1, $2, ... there: nothing of them is part of the script.
constexpr const char* kProbe =
    "umask 077; mkdir -p \"$1\" || exit 1; if [ -x \"$1/lockstep\" ]; then echo present; fi";
constexpr const char* kReceive =
    "umask 077; cat >\"$1/$2.part.$$\" && chmod 755 \"$1/$2.part.$$\" && "
    "mv -f \"$1/$2.part.$$\" \"$1/$2\" || { rm -f \"$1/$2.part.$$\"; exit 1; }";
constexpr const char* kLibraries = "LD_LIBRARY_PATH=\"$1\" ldd \"$1/lockstep\" 2>&1";
constexpr Seconds kPatience{300};

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
    const std::string& host = plan_[outcome.culprit].name;
    const auto& said = answers[host];
    throw Error("host {}: {}", host, said.empty() ? outcome.why : said.back());
  }

 private:
  const SshOptions& ssh_;
  std::vector<Command> plan_;
};

// "libdnnl.so.2 => /usr/lib/... (0x...)" or "libdnnl.so.2 => not found"; the path may be empty.
std::map<std::string, std::string> libraries_in(const std::vector<std::string>& lines) {
  std::map<std::string, std::string> libraries;
  for (const std::string& line : lines) {
    const size_t arrow = line.find(" => ");
    if (arrow == std::string::npos) continue;
    const size_t name = line.find_first_not_of(" \t");
    const std::string target = line.substr(arrow + 4);
    const bool found = target.starts_with('/');
    libraries[line.substr(name, arrow - name)] = found ? target.substr(0, target.find(' ')) : "";
  }
  return libraries;
}

std::map<std::string, std::string> own_libraries(const std::string& program) {
  std::vector<std::string> lines;
  const Command ldd = {.name = "ldd", .argv = {"ldd", program}};
  run_commands(std::span(&ldd, 1), {.time = kPatience}, {.line = [&](const OutputLine& line) {
                 lines.push_back(line.text);
                 return Next::GoOn;
               }});
  return libraries_in(lines);
}

void refuse_old_system(const std::string& host, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    if (line.find("version `GLIBC") != std::string::npos) {
      throw Error("host {} has an older system than this program needs: {}", host, line);
    }
  }
}

// Rounds: a library may need others.
void send_libraries(const std::vector<Host>& hosts, const Deployment& deployment,
                    const std::string& directory) {
  const auto own = own_libraries(deployment.program);
  std::set<std::string> sent;
  for (bool missing = true; missing;) {
    missing = false;
    Step ask(deployment.ssh), send(deployment.ssh);
    for (const Host& host : hosts) ask.add(host, script(kLibraries, {directory}));
    const Answers answers = ask.run();
    for (const Host& host : hosts) {
      const auto found = answers.find(host.name);
      if (found == answers.end()) continue;
      refuse_old_system(host.name, found->second);
      for (const auto& [library, path] : libraries_in(found->second)) {
        if (!path.empty()) continue;
        const auto here = own.find(library);
        if (here == own.end() || here->second.empty() || !sent.insert(host.name + library).second) {
          throw Error("host {} lacks {}, and it could not be brought there", host.name, library);
        }
        send.add(host, script(kReceive, {directory, library}), here->second);
        missing = true;
      }
    }
    send.run();
  }
}

}  // namespace

std::string directory_name(const std::string& program) {
  std::ifstream file(program, std::ios::binary);
  if (!file) throw Error("cannot read {}", program);
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (std::istreambuf_iterator<char> byte(file), end; byte != end; ++byte) {
    hash = (hash ^ static_cast<unsigned char>(*byte)) * 0x100000001b3;
  }
  return fmt::format("lockstep-{:016x}-{}", hash, std::filesystem::file_size(program));
}

std::string deploy(const std::vector<Host>& hosts, const Deployment& deployment) {
  const std::string directory = deployment.remote_dir + "/" + directory_name(deployment.program);
  Step probe(deployment.ssh), send(deployment.ssh);
  for (const Host& host : hosts) probe.add(host, script(kProbe, {directory}));
  const Answers answers = probe.run();
  std::vector<Host> fresh;
  for (const Host& host : hosts) {
    const auto found = answers.find(host.name);
    const bool present = found != answers.end() && found->second.back() == "present";
    if (!present) fresh.push_back(host);
  }
  for (const Host& host : fresh) {
    send.add(host, script(kReceive, {directory, "lockstep"}), deployment.program);
  }
  send.run();
  if (!fresh.empty()) send_libraries(fresh, deployment, directory);
  return directory;
}

}  // namespace lockstep
