#include "launch/agent.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>

#include "base/error.h"
#include "base/exit_code.h"
#include "base/version.h"
#include "comm/store_server.h"
#include "launch/agent_protocol.h"
#include "launch/local_plan.h"
#include "launch/rank_variables.h"
#include "launch/remote_files.h"
#include "measure/host.h"
#include "process/run_commands.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr Seconds kLongSilence{60};  // a running launcher sends a message every few seconds
constexpr Seconds kLongestStop{25};  // less: the launcher then hears how this agent ended
constexpr int kTickMilliseconds = 1000;
constexpr size_t kPieceBytes = 3000;

// Tells the launcher from time to time that this process runs.
class SignsOfLife {
 public:
  explicit SignsOfLife(std::ostream& out) : out_(out) {}
  void give() {
    if (seconds_since(last_) < kBetweenSignsOfLife) return;
    last_ = Clock::now();
    out_ << kAlive << "\n" << std::flush;
  }

 private:
  std::ostream& out_;
  TimePoint last_{};
};

// The lines that the launcher sends.
class Orders {
 public:
  explicit Orders(std::ostream& out) : life_(out) {}

  // Waits. Throws Error when the launcher is gone.
  std::string next() {
    std::optional<std::string> line;
    while (!(line = take())) {
      pollfd news = {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
      poll(&news, 1, kTickMilliseconds);
    }
    return *line;
  }

  // From now on whoever waits here, or asks take() often, tells the launcher that it is alive.
  void give_signs_of_life() { gives_signs_ = true; }

  // Absent: no line yet. Throws Error if the launcher is gone and all its lines are read.
  std::optional<std::string> take() {
    if (gives_signs_) life_.give();
    read_what_there_is();
    for (size_t end = 0; (end = text_.find('\n')) != std::string::npos;) {
      std::string line = text_.substr(0, end);
      text_.erase(0, end + 1);
      if (line != kAlive) return line;
    }
    if (ended_) throw Error("lost the launcher: connection closed");
    if (seconds_since(heard_) > kLongSilence) {
      throw Error("lost the launcher: no message for {:.0f} s", kLongSilence.count());
    }
    return {};
  }

 private:
  void read_what_there_is() {
    pollfd news = {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    while (!ended_ && poll(&news, 1, 0) > 0) {
      char bytes[4096];
      const ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
      if (count < 0 && errno == EINTR) continue;
      ended_ = count <= 0;
      text_.append(bytes, static_cast<size_t>(std::max<ssize_t>(count, 0)));
      heard_ = Clock::now();
    }
  }

  SignsOfLife life_;
  bool gives_signs_ = false;
  bool ended_ = false;
  std::string text_;
  TimePoint heard_ = Clock::now();
};

// A directory that is removed with its object. It is new: in a shared directory somebody else may
// have made one of this name.
class RunDirectory {
 public:
  explicit RunDirectory(const std::string& path) : path_(path) {
    if (mkdir(path.c_str(), 0700) != 0) {
      throw Error("cannot create {}: {}", path, std::strerror(errno));
    }
  }
  ~RunDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<Command> plan(const Context& context, const AgentJob& job, const std::string& store) {
  LocalJob local = {.argv = {context.program, job.command},
                    .ranks = job.ranks,
                    .host = read_host().name,
                    .environment = job.environment,
                    .rank_variable = kRankVariable,
                    .directory = job.directory};
  local.environment[kSizeVariable] = fmt::to_string(job.size);
  local.environment[kStoreVariable] = store;
  local.environment[kTokenVariable] = job.token;
  local.argv.insert(local.argv.end(), job.arguments.begin(), job.arguments.end());
  return plan_local(local);
}

void send_file(std::ostream& out, const fs::path& path, const std::string& name) {
  std::ifstream file(path, std::ios::binary);
  std::string piece(kPieceBytes, '\0');
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const std::string_view bytes(piece.data(), static_cast<size_t>(file.gcount()));
    if (!bytes.empty()) out << "file " << name << " " << base64(bytes) << "\n";
  }
  if (file.eof()) out << "file " << name << " \n";
}

void send_files(std::ostream& out, const fs::path& directory) {
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const std::string name = fs::relative(entry.path(), directory).string();
    const bool fits_a_line = name.find_first_of(" \n") == std::string::npos;
    if (entry.is_regular_file() && fits_a_line && RemoteFiles::comes_back(name)) {
      send_file(out, entry.path(), name);
    }
  }
  out << std::flush;
}

// Tells the launcher what failed. The launcher sets the exit code of the run. The agent itself
// exits with 0, so that the other agents have time to finish.
void report(const PlanOutcome& outcome, std::ostream& out) {
  if (outcome.end != RunEnd::Failed) return;
  const CommandOutcome& culprit = outcome.commands[outcome.culprit];
  for (const std::string& line : culprit.last_lines) out << "last - " << line << "\n";
  const bool told = culprit.status && !culprit.status->by_signal;
  out << fmt::format("failed {} {}\n", told ? fmt::to_string(culprit.status->code) : "-",
                     outcome.why)
      << std::flush;
}

int run_job(Context& context, const AgentJob& job, Orders& orders) {
  orders.give_signs_of_life();
  const RunDirectory directory(job.directory);
  std::optional<StoreServer> store;
  if (job.keeps_store) {
    store.emplace(StoreServerOptions{.endpoint = {"", job.store_port},
                                     .token = job.token,
                                     .keeper = "the agent on " + read_host().name});
    context.out << "store " << store->port() << "\n" << std::flush;
  }
  const AgentLine begin = parse_agent_line(orders.next());
  if (begin.kind != "store") return kSuccess;
  const std::vector<Command> commands = plan(context, job, begin.name);
  const auto line = [&](const OutputLine& said) {
    context.out << (said.from_stderr ? "err " : "out ") << job.ranks[said.command] << " "
                << said.text << "\n"
                << std::flush;
    return Next::Continue;
  };
  const auto poll = [&] { return orders.take() ? Next::Stop : Next::Continue; };
  const PlanOutcome outcome = run_commands(
      commands,
      {.time = Seconds(std::numeric_limits<double>::infinity()), .interrupted_grace = kLongSteps},
      {.line = line,
       .poll = poll,
       .legacy = directory.path().string(),
       .longest_stop = kLongestStop});
  report(outcome, context.out);
  send_files(context.out, directory.path());
  return kSuccess;
}

}  // namespace

int run_agent(Context& context, const AnswerProbe& answer_probe) {
  std::signal(SIGPIPE, SIG_IGN);  // the launcher's end is noticed on stdin
  Orders orders(context.out);
  const std::string first = orders.next();
  const AgentLine line = parse_agent_line(first);
  if (line.kind == kProbe) {
    return answer_probe(context, line.name, [&] { return orders.next(); });
  }
  const AgentJob job = job_in(first);
  if (job.version != program_version()) {
    throw Error("version mismatch: lockstep {} here, {} at the launcher; install the same version",
                program_version(), job.version);
  }
  const int code = run_job(context, job, orders);
  context.out << kEnd << "\n" << std::flush;
  return code;
}

}  // namespace lockstep
