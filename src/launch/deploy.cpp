#include "launch/deploy.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>

#include "base/bundle.h"
#include "base/error.h"
#include "base/fnv1a.h"
#include "launch/libraries.h"
#include "launch/remote_scripts.h"
#include "process/ask.h"
#include "process/process.h"
#include "process/run_commands.h"

namespace lockstep {
namespace {

// A host that is reached but does not continue, such as one whose disk hangs, is noticed by
// silence.
constexpr Seconds kSilence{45}, kPatienceForTidying{20};
// sshd rejects connections when ten are not logged in yet (MaxStartups).
constexpr size_t kFilesAtOnce = 4;

using Answers = std::map<std::string, std::vector<std::string>>;  // lines, by host

// One command on each host, all at once. A failed host does not stop the others, so that all
// failures are reported together.
class Step {
 public:
  explicit Step(const Deployment& deployment) : deployment_(deployment) {}

  void add(const Host& host, const std::vector<std::string>& words, const std::string& input = "") {
    Command command = on_host(host, words, deployment_.ssh);
    command.input_file = input;
    command.fails_alone = true;
    plan_.push_back(std::move(command));
  }

  void send(const Host& host, const std::string& staging, const std::string& name,
            const std::string& file) {
    const std::string bytes = fmt::to_string(std::filesystem::file_size(file));
    add(host, remote_command(RemoteScript::Receive, {deployment_.remote_dir, staging, name, bytes}),
        file);
  }

  Answers run() const {
    Answers answers;
    if (plan_.empty()) return answers;
    const PlanOutcome outcome = run_commands(
        plan_, {.time = Seconds(std::numeric_limits<double>::infinity()), .silence = kSilence},
        {.line =
             [&](const OutputLine& line) {
               answers[plan_[line.command].name].push_back(line.text);
               return Next::Continue;
             },
         .poll = [&] { return deployment_.interrupted() ? Next::Stop : Next::Continue; }});
    if (outcome.end == RunEnd::Interrupted) throw Interrupted();
    std::vector<HostFailure> failures;
    for (size_t i = 0; i < plan_.size(); ++i) {
      const std::string& host = plan_[i].name;  // a host may get several files
      const std::string why = why_failed(outcome, i, answers[host]);
      const bool told = std::ranges::count(failures, host, &HostFailure::host) > 0;
      if (!why.empty() && !told) failures.push_back({host, why, reached(outcome.commands[i])});
    }
    if (!failures.empty()) throw HostError(std::move(failures));
    return answers;
  }

  // On every host that can be reached, even after an interrupt. Ignores failures.
  void try_to_run() const { run_commands(plan_, {.time = kPatienceForTidying}, {}); }

 private:
  std::string why_failed(const PlanOutcome& outcome, size_t i,
                         const std::vector<std::string>& said) const {
    const CommandOutcome& command = outcome.commands[i];
    if (!command.status) return "cannot start ssh";
    if (command.ended_by_us) return outcome.why;
    if (succeeded(*command.status, plan_[i])) return "";
    const bool told = !said.empty() && !command.status->by_signal;
    return told ? with_remedy(said.back()) : "ssh ended with " + words_for(*command.status);
  }

  static bool reached(const CommandOutcome& command) {
    constexpr int kOfSshItself = 255;
    return command.status && !command.ended_by_us && !command.status->by_signal &&
           command.status->code != kOfSshItself;
  }

  const Deployment& deployment_;
  std::vector<Command> plan_;
};

std::map<std::string, std::string> own_libraries(const std::string& program) {
  return libraries_in(ask({"ldd", program}, kSilence).lines);
}

struct Target {
  Host host;
  std::string staging;  // name of its directory in the remote one
};

using Libraries = std::map<std::string, std::string>;  // paths, by name

// The libraries that a host lacks, with their paths here. Throws HostError.
Libraries missing_on(const Host& host, const std::vector<std::string>& ldd_lines,
                     const Libraries& own) {
  if (const std::string why = too_old(ldd_lines); !why.empty()) {
    throw HostError({{host.name, "system libraries are too old for this program: " + why, true}});
  }
  Libraries missing;
  for (const auto& [library, path] : libraries_in(ldd_lines)) {
    if (!path.empty()) continue;
    const auto here = own.find(library);
    if (here == own.end() || here->second.empty()) {
      throw HostError(
          {{host.name, library + " is missing there and here; install it on the host", true}});
    }
    missing.insert(*here);
  }
  return missing;
}

// Repeats, because a library may need other libraries.
void send_libraries(const std::vector<Target>& targets, const Deployment& deployment) {
  const Libraries own = own_libraries(deployment.program);
  std::set<std::pair<std::string, std::string>> sent;  // host and library
  for (bool missing = true; missing;) {
    missing = false;
    Step look(deployment);
    std::vector<Step> send;  // one after the other
    for (const auto& [host, staging] : targets) {
      look.add(host, remote_command(RemoteScript::Libraries, {deployment.remote_dir, staging}));
    }
    Answers answers = look.run();
    std::vector<HostFailure> failures;
    for (const auto& [host, staging] : targets) {
      size_t files = 0;
      try {
        for (const auto& [library, path] : missing_on(host, answers[host.name], own)) {
          if (!sent.insert({host.name, library}).second) {
            throw HostError({{host.name, library + " was copied there but is not found", true}});
          }
          const size_t step = files++ / kFilesAtOnce;
          if (step == send.size()) send.emplace_back(deployment);
          send[step].send(host, staging, library, path);
          missing = true;
        }
      } catch (const HostError& error) {
        failures.insert(failures.end(), error.failures.begin(), error.failures.end());
      }
    }
    if (!failures.empty()) throw HostError(std::move(failures));
    for (const Step& step : send) step.run();
  }
}

// A bundle brings all that the program needs.
void send_bundle(const std::vector<Target>& targets, const Deployment& deployment) {
  const std::filesystem::path directory = std::filesystem::path(deployment.program).parent_path();
  std::vector<Step> steps;
  size_t files = 0;
  for (const std::string& name : bundle_files(deployment.program)) {
    const size_t step = files++ / kFilesAtOnce;
    if (step == steps.size()) steps.emplace_back(deployment);
    for (const auto& [host, staging] : targets) {
      steps[step].send(host, staging, name, (directory / name).string());
    }
  }
  for (const Step& step : steps) step.run();
}

// One process per host that removes the staging directory there when the launcher ends, however it
// does. After an installation there is nothing to remove.
class StagingKeepers {
 public:
  void keep(const Target& target, const Deployment& deployment) {
    Command command = on_host(
        target.host, remote_command(RemoteScript::Remove, {deployment.remote_dir, target.staging}),
        deployment.ssh);
    command.listens = true;
    try {
      keepers_.emplace_back(command);
    } catch (const Error&) {  // whoever sends the program will say why
    }
  }

 private:
  std::deque<Process> keepers_;
};

std::string text_of(const std::vector<HostFailure>& failures) {
  std::string text;
  for (const HostFailure& failure : failures) {
    text += fmt::format("{}host {}: {}", text.empty() ? "" : "\n", failure.host, failure.why);
  }
  return text;
}

void add_file(Fnv1a& hash, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("cannot read {}", path);
  for (std::istreambuf_iterator<char> byte(file), end; byte != end; ++byte) {
    hash.add(uint64_t{static_cast<unsigned char>(*byte)});
  }
}

}  // namespace

HostError::HostError(std::vector<HostFailure> failed)
    : Error(text_of(failed)), failures(std::move(failed)) {}

std::string without_home(const std::string& directory) {
  if (directory == "~") return ".";
  return directory.starts_with("~/") ? directory.substr(2) : directory;
}

std::string directory_name(const std::string& program) {
  Fnv1a hash;
  add_file(hash, program);
  // The program of a bundle knows the others by their checksums, but not what pip added later.
  for (const std::string& name : bundle_files(program)) {
    if (!name.ends_with(kTorchVersionEnding)) continue;
    add_file(hash, (std::filesystem::path(program).parent_path() / name).string());
  }
  return fmt::format("lockstep-{:016x}-{}", hash.value(), std::filesystem::file_size(program));
}

void deploy(const std::vector<Host>& hosts, const Deployment& deployment) {
  const std::string name = directory_name(deployment.program);
  const std::string size = fmt::to_string(std::filesystem::file_size(deployment.program));
  const auto command = [&](RemoteScript script, const std::vector<std::string>& words) {
    std::vector<std::string> all = {deployment.remote_dir};
    all.insert(all.end(), words.begin(), words.end());
    return remote_command(script, all);
  };
  Step probe(deployment), send(deployment), install(deployment), tidy(deployment);
  for (const Host& host : hosts) {
    probe.add(host, command(RemoteScript::LookForProgram, {name, size}));
  }
  Answers answers = probe.run();
  std::vector<Target> fresh;
  for (size_t i = 0; i < hosts.size(); ++i) {
    if (std::ranges::count(answers[hosts[i].name], "present") > 0) continue;
    // One each: hosts may share their disks. Names of this form are removed when they are old (see
    // remote_scripts.cpp).
    fresh.push_back({hosts[i], fmt::format("{}.{}-{}", name, deployment.id, i)});
  }
  const bool bundle = !bundle_files(deployment.program).empty();
  for (const auto& [host, staging] : fresh) {
    if (!bundle) send.send(host, staging, "lockstep", deployment.program);
    install.add(host, command(RemoteScript::Install, {staging, name, size}));
    tidy.add(host, command(RemoteScript::Remove, {staging}));
  }
  StagingKeepers keepers;
  for (const Target& target : fresh) keepers.keep(target, deployment);
  try {
    send.run();
    if (!fresh.empty()) bundle ? send_bundle(fresh, deployment) : send_libraries(fresh, deployment);
    install.run();
  } catch (const Error&) {
    tidy.try_to_run();
    throw;
  }
}

}  // namespace lockstep
