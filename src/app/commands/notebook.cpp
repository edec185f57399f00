// notebook.cpp: `lockstep notebook`: opens the results of a sweep in Jupyter.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <ostream>

#include "app/command_line.h"
#include "app/commands/jupyter.h"
#include "app/commands/tunnel.h"
#include "app/flags.h"
#include "app/program.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/random_token.h"
#include "process/adoption.h"
#include "process/ask.h"
#include "process/ports.h"
#include "process/run_commands.h"
#include "report/results/results_store.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr int kUsualPort = 8888;
constexpr Seconds kForVersion{60};   // Jupyter takes long to start from a network file system
constexpr Seconds kForShutdown{30};  // of its kernels
constexpr Seconds kAsLongAsWanted{1e9};

struct Options {
  std::string directory;
  std::optional<int> port;
};

CommandSyntax syntax_for(Options& options) {
  return {
      .command = "notebook",
      .summary = "Opens the results of a sweep in Jupyter, and prints the ssh tunnel to it.",
      .flags = {number_flag({"port",
                             "port of 127.0.0.1 to listen on; 0: any free port [8888, or any "
                             "free port]",
                             &options.port,
                             {0, 65535}})},
      .positional = Positional{.name = "DIR",
                               .help = "directory of 'lockstep sweep'; it gets a results.ipynb "
                                       "unless it has one",
                               .set = [&](const std::string& text) { options.directory = text; },
                               .required = true}};
}

void check_results(const std::string& directory) {
  if (directory.empty()) throw UsageError("notebook needs a directory of 'lockstep sweep'");
  if (!fs::exists(fs::path(directory) / ResultsStore::kFile)) {
    throw UsageError("{}: no {}; run 'lockstep sweep --output {}' first", directory,
                     ResultsStore::kFile, directory);
  }
}

int chosen_port(const Options& options) {
  if (!options.port) return is_free_port(kUsualPort) ? kUsualPort : free_ports(1).front();
  if (*options.port == 0) return free_ports(1).front();
  if (!is_free_port(*options.port)) {
    throw UsageError("--port {}: in use; leave it out to use a free port", *options.port);
  }
  return *options.port;
}

Jupyter installed_jupyter() {
  const auto found = find_jupyter(
      [](const std::vector<std::string>& words) { return ask(words, kForVersion).well; });
  if (!found)
    throw UsageError(
        "Jupyter is not installed; install it: pip install jupyterlab pandas matplotlib");
  return *found;
}

void copy_notebook(const fs::path& directory) {
  const fs::path path = directory / "results.ipynb";
  if (!fs::exists(path)) write_whole_file(path.string(), results_notebook());
}

void tell_address(const std::string& url, int port, Context& context) {
  const TunnelRoute route = route_to_here(context);
  context.out << url << "\n" << std::flush;
  context.err << "open the address above in a browser; from another machine, first start there:\n  "
              << tunnel_command(route, port) << "\n";
  if (route.is_cloud) context.err << "HOST is the public DNS name of the instance\n";
  context.err << "Ctrl-C stops Jupyter\n" << std::flush;
}

PlanOutcome serve(const Jupyter& jupyter, const JupyterRequest& request, Context& context) {
  const Command command = jupyter_command(jupyter, request);
  const InterruptWatch interrupts;
  const Adoption kernels;  // they are in sessions of their own
  bool ready = false;
  const auto poll = [&] {
    if (!ready && accepts_connections(request.port)) {
      ready = true;
      tell_address(jupyter_url(jupyter, request), request.port, context);
    }
    return interrupts.interrupted() ? Next::Stop : Next::Continue;
  };
  return run_commands(std::span(&command, 1),
                      {.time = kAsLongAsWanted, .interrupted_grace = kForShutdown}, {.poll = poll});
}

}  // namespace

int notebook_command(RunContext& context, std::span<const std::string> arguments) {
  Options options;
  const CommandSyntax syntax = syntax_for(options);
  if (answered(context, syntax, arguments)) return kSuccess;
  check_results(options.directory);
  const Jupyter jupyter = installed_jupyter();
  const fs::path directory = fs::absolute(options.directory).lexically_normal();
  const JupyterRequest request = {.directory = directory.string(),
                                  .port = chosen_port(options),
                                  .token = random_token(),
                                  .as_root = geteuid() == 0};
  copy_notebook(directory);
  const PlanOutcome ended = serve(jupyter, request, context);
  if (ended.end == RunEnd::Interrupted || ended.end == RunEnd::Completed) return kSuccess;
  for (const std::string& line : ended.commands.front().last_lines) context.err << line << "\n";
  throw Error("Jupyter stopped: {}", ended.why);
}

}  // namespace lockstep
